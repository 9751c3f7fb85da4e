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

/** This process as npm names its parts. */
export function thisPlatform() {
  return { os: process.platform, cpu: process.arch, libc: libcHere() };
}

/** Node says which glibc it runs on, and nothing on musl. */
function libcHere() {
  const { report } = process;
  const { excludeNetwork } = report;
  // The report would look up the names of all peers.
  report.excludeNetwork = true;
  const { glibcVersionRuntime } = report.getReport().header;
  report.excludeNetwork = excludeNetwork;
  return glibcVersionRuntime ? 'glibc' : 'musl';
}
