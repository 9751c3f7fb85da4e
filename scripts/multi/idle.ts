import { targetByName, targets } from '../../src/targets/list.js';
import { type Environment, localShards, type NamedTarget, named, wrong } from './naming.js';

/** What the environment of the idle test comes to: target, shards and load as flags, or everything that is wrong with it. */
type IdleLoad = { ok: true; args: string[] } | { ok: false; problems: string[] };

/** A process here may have 20,000 descriptors, and needs some beside its clients. */
const connectionsPerProcess = 15_000;

/** The variables that are numbers, with what stands for one that is not given. */
const numbers = {
  PER_SHARD_N: { fallback: 5000, atLeast: 1 },
  HOLD_SEC: { fallback: 30, atLeast: 0 },
  RAMP_PER_SEC: { fallback: 1000, atLeast: 1 },
} as const;

/**
 * Translates the environment of the published idle test, in which counts and rates are those of one shard, to the flags of one run over all shards. An
 * empty variable counts as not given; `RINGSIDE_SHARD` goes before its short name.
 */
export function idleLoad(start: NamedTarget | undefined, env: Environment): IdleLoad {
  const problems: string[] = [];
  const perShard = readNumber(env, 'PER_SHARD_N', problems);
  const holdSeconds = readNumber(env, 'HOLD_SEC', problems);
  const rampPerSecond = readNumber(env, 'RAMP_PER_SEC', problems);
  const urls = readShards(env, problems);
  const shards = urls.length > 0 ? urls.length : localShards;
  const connections = perShard * shards;
  const target = start === undefined ? [] : targetArgs(start, connections, problems);
  if (problems.length > 0) return { ok: false, problems };
  const fleet = urls.length > 0 ? urls.flatMap((url) => ['--shard', url]) : ['--local-shards', String(localShards)];
  const load = ['--connections', String(connections), '--ramp-rate', `${rampPerSecond * shards}/s`];
  return { ok: true, args: [...target, ...fleet, ...load, '--hold', `${holdSeconds}s`] };
}

function readNumber(env: Environment, name: keyof typeof numbers, problems: string[]): number {
  const { fallback, atLeast } = numbers[name];
  const text = env[name];
  if (!text) return fallback;
  // Digits alone: the m of a count is a million, and HOLD_SEC=2m would mean minutes to its writer.
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value) && value >= atLeast) return value;
  problems.push(wrong(name, `a whole number from ${atLeast} on, such as ${fallback}`, text));
  return fallback;
}

function readShards(env: Environment, problems: string[]): string[] {
  const [name, text = ''] = named(env, 'SHARDS', 'RINGSIDE_SHARD');
  const urls = text.split(',').flatMap((part) => part.trim() || []);
  for (const url of urls) {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      problems.push(wrong(name, 'http:// or https:// addresses of bench-runners, separated by commas', url));
  }
  return urls;
}

/** The target to start, as enough processes for the connections where it can be several. */
function targetArgs({ name, from }: NamedTarget, connections: number, problems: string[]): string[] {
  const target = targetByName(name);
  if (!target) {
    problems.push(wrong(from, `one of ${targets.map((each) => each.name).join(', ')}`, name));
    return [];
  }
  const processes = Math.min(target.maxProcesses, Math.ceil(connections / connectionsPerProcess));
  return ['--target', target.name, ...(processes > 1 ? ['--target-processes', String(processes)] : [])];
}
