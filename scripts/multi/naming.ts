export type Environment = Readonly<Record<string, string | undefined>>;

/** Shards of this machine where none is named. */
export const localShards = 2;

/** A target's name, and what gave it. */
export interface NamedTarget {
  name: string;
  from: string;
}

/**
 * The target to start here; undefined where a flag names one, or its address, or the environment an address. A job file may name one, so that nothing
 * stands in for it. `RINGSIDE_TARGET` goes before its short name.
 */
export function targetName(flags: readonly string[], env: Environment, fallback: string): NamedTarget | undefined {
  const has = (flag: string): boolean => hasFlag(flags, flag);
  if (has('--target') || has('--target-url') || env.RINGSIDE_TARGET_URL) return undefined;
  const [from, name = has('--file') ? undefined : fallback] = named(env, 'TARGET', 'RINGSIDE_TARGET');
  return name === undefined ? undefined : { name, from };
}

/** Whether a flag is among those given. */
export function hasFlag(flags: readonly string[], flag: string): boolean {
  return flags.some((each) => each === flag || each.startsWith(`${flag}=`));
}

/** A variable that has a long name of its own in Ringside: under which it was given, and its text. An empty one counts as not given. */
export function named(env: Environment, short: string, long: string): [name: string, text: string | undefined] {
  return env[long] ? [long, env[long]] : [short, env[short] || undefined];
}

/** What is wrong with something given: its name, what was expected, what was received. */
export function wrong(name: string, expected: string, received: string): string {
  return `${name}: expected ${expected}, received ${JSON.stringify(received)}`;
}
