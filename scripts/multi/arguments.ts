import { scenarioByName, scenarios } from '../../src/scenarios/list.js';
import { idleLoad } from './idle.js';
import { type Environment, hasFlag, localShards, targetName, wrong } from './naming.js';

/** One `ringside` call with its environment, or everything that is wrong with what was asked. */
export type Multi = { ok: true; args: string[]; env: Environment } | { ok: false; problems: string[] };

/** What is loaded where nobody names a target and the commonest one says nothing of the scenario. */
const fallbacks: Readonly<Record<string, string>> = { jitter: 'socketio-csr', steps: 'uws-shootout' };
const commonFallback = 'uws';

/** A scenario, or the search for the knee, over several shards of this machine where none is named, and against a target of ours where none is named. */
export function multi(what: string | undefined, flags: readonly string[], env: Environment): Multi {
  if (what === undefined || (what !== 'knee' && !scenarioByName(what))) {
    const expected = `one of ${[...scenarios.map(({ name }) => name), 'knee'].join(', ')}`;
    return { ok: false, problems: [wrong('first argument', expected, what ?? '')] };
  }
  const target = targetName(flags, env, fallbacks[what] ?? commonFallback);
  if (what === 'idle') {
    const load = idleLoad(target, env);
    // Translated: `ringside` would read both once more.
    const { SHARDS, TARGET, ...others } = env;
    return load.ok ? { ok: true, args: ['run', 'idle', ...load.args, ...flags], env: others } : load;
  }
  const { TARGET, ...others } = env;
  const words = what === 'knee' ? [what] : ['run', what];
  const start = target === undefined ? [] : ['--target', target.name];
  const isNamed = hasFlag(flags, '--shard') || hasFlag(flags, '--local-shards');
  const isInEnvironment = [env.SHARDS, env.RINGSIDE_SHARD, env.RINGSIDE_LOCAL_SHARDS].some(Boolean);
  const shards = isNamed || isInEnvironment ? [] : ['--local-shards', String(localShards)];
  return { ok: true, args: [...words, ...start, ...shards, ...flags], env: others };
}
