import { targetByName, targets } from '../../src/targets/list.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** What the environment of the idle test comes to: the arguments of one `ringside` call, or everything that is wrong with it. */
export type Translation = { ok: true; args: string[] } | { ok: false; problems: string[] };

const localShards = 2;
const defaultTarget = 'uws';
/** A process here may have 20,000 descriptors, and needs some beside its clients. */
const connectionsPerProcess = 15_000;

/** The variables that are numbers, with what stands for one that is not given. */
const numbers = {
  PER_SHARD_N: { fallback: 5000, atLeast: 1 },
  HOLD_SEC: { fallback: 30, atLeast: 0 },
  RAMP_PER_SEC: { fallback: 1000, atLeast: 1 },
} as const;

/**
 * Translates the environment of the published idle test, in which counts and rates are those of one shard, to one run over all shards. An empty variable
 * counts as not given; `RINGSIDE_SHARD` and `RINGSIDE_TARGET` go before their short names, and `RINGSIDE_TARGET_URL` before either name of a target.
 */
export function translate(env: Environment): Translation {
  const problems: string[] = [];
  const perShard = readNumber(env, 'PER_SHARD_N', problems);
  const holdSeconds = readNumber(env, 'HOLD_SEC', problems);
  const rampPerSecond = readNumber(env, 'RAMP_PER_SEC', problems);
  const urls = readShards(env, problems);
  const shards = urls.length > 0 ? urls.length : localShards;
  const connections = perShard * shards;
  const target = targetArgs(env, connections, problems);
  if (problems.length > 0) return { ok: false, problems };
  const fleet = urls.length > 0 ? urls.flatMap((url) => ['--shard', url]) : ['--local-shards', String(localShards)];
  const load = ['--connections', String(connections), '--ramp-rate', `${rampPerSecond * shards}/s`];
  return { ok: true, args: ['run', 'idle', ...target, ...fleet, ...load, '--hold', `${holdSeconds}s`] };
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

/** The target to start, as enough processes for the connections where it can be several; nothing where one is named by its address. */
function targetArgs(env: Environment, connections: number, problems: string[]): string[] {
  if (env.RINGSIDE_TARGET_URL) return [];
  const [name, text = defaultTarget] = named(env, 'TARGET', 'RINGSIDE_TARGET');
  const target = targetByName(text);
  if (!target) {
    problems.push(wrong(name, `one of ${targets.map((each) => each.name).join(', ')}`, text));
    return [];
  }
  const processes = Math.min(target.maxProcesses, Math.ceil(connections / connectionsPerProcess));
  return ['--target', target.name, ...(processes > 1 ? ['--target-processes', String(processes)] : [])];
}

/** A variable that has a long name of its own in Ringside: under which it was given, and its text. */
function named(env: Environment, short: string, long: string): [name: string, text: string | undefined] {
  return env[long] ? [long, env[long]] : [short, env[short] || undefined];
}

function wrong(name: string, expected: string, received: string): string {
  return `${name}: expected ${expected}, received ${JSON.stringify(received)}`;
}
