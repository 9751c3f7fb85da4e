/** Platforms that have a package with the addon, built and packed by `prebuilt.mjs`, as npm names their parts. */
export const platforms = [
  { os: 'linux', cpu: 'x64', libc: 'glibc' },
  { os: 'linux', cpu: 'x64', libc: 'musl' },
  { os: 'linux', cpu: 'arm64', libc: 'glibc' },
  { os: 'linux', cpu: 'arm64', libc: 'musl' },
];

/** The npm package with the addon of a platform. */
export function packageOf({ os, cpu, libc }) {
  return `ringside-native-${os}-${cpu}-${libc}`;
}

/** The packages that may hold an addon for this process: npm installs the one with the right C library. */
export const packagesHere = platforms
  .filter(({ os, cpu }) => os === process.platform && cpu === process.arch)
  .map(packageOf);
