import { targetByName } from '../../src/targets/list.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Holds the arguments of `ringside`, or every wrong variable. */
export type IdleRun = { ok: true; args: string[] } | { ok: false; problems: string[] };

const localShards = 2;
/** A process can have 20,000 descriptors here, and needs some besides its clients. */
const connectionsPerProcess = 15_000;

const numbers = {
  PER_SHARD_N: { standard: 5000, least: 1 },
  HOLD_SEC: { standard: 30, least: 0 },
  RAMP_PER_SEC: { standard: 1000, least: 1 },
} as const;

/** Converts the variables of the published idle test, which count per shard, into one run. */
export function idleRun(flags: readonly string[], env: Environment): IdleRun {
  const problems: string[] = [];
  const read = (name: keyof typeof numbers): number => {
    const { standard, least } = numbers[name];
    const text = env[name] || String(standard);
    // Only digits are valid. `HOLD_SEC=2m` would mean minutes to its author.
    if (!/^\d+$/.test(text) || Number(text) < least)
      problems.push(`${name}: expected a whole number from ${least} on, such as ${standard}, received "${text}"`);
    return Number(text);
  };
  const [perShard, holdSeconds, rampPerSecond] = [read('PER_SHARD_N'), read('HOLD_SEC'), read('RAMP_PER_SEC')];
  if (problems.length > 0) return { ok: false, problems };
  const named = (env.RINGSIDE_SHARD || env.SHARDS || '').split(',').filter((url) => url.trim() !== '').length;
  const shards = named || localShards;
  const connections = perShard * shards;
  const load = ['--clients', String(connections), '--ramp-rate', `${rampPerSecond * shards}/s`];
  const fleet = named > 0 ? [] : ['--local-shards', String(localShards)];
  const args = [...targetArgs(flags, env, connections), ...fleet, ...load, '--duration', `${holdSeconds}s`];
  return { ok: true, args: ['run', 'idle', ...args, ...flags] };
}

/** Returns the managed target with enough processes for the connections, or nothing if the caller names a target. */
function targetArgs(flags: readonly string[], env: Environment, connections: number): string[] {
  const has = (names: RegExp): boolean => flags.some((flag) => names.test(flag));
  if (has(/^--target(-url)?(=|$)/) || env.RINGSIDE_TARGET_URL) return [];
  const hasFile = has(/^--(target-)?file(=|$)/) || env.RINGSIDE_TARGET_FILE;
  const name = env.RINGSIDE_TARGET || env.TARGET || (hasFile ? undefined : 'uws');
  if (name === undefined) return [];
  const processes = Math.min(targetByName(name)?.maxProcesses ?? 1, Math.ceil(connections / connectionsPerProcess));
  return ['--target', name, ...(processes > 1 ? ['--target-processes', String(processes)] : [])];
}
