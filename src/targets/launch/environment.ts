const inherited = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'LD_LIBRARY_PATH'];

/**
 * The environment of a target's process: of ours only what a program needs to be found and loaded, and what is given. Anything else (NODE_OPTIONS,
 * DEBUG, GOMAXPROCS, ANYCABLE_…) would be a setting of the target that no result shows.
 */
export function targetEnvironment(...given: Record<string, string>[]): NodeJS.ProcessEnv {
  const ours = inherited.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  return Object.assign(Object.fromEntries(ours), ...given);
}
