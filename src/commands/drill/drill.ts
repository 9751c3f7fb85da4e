import type { OwnMetronome } from '../../contract/drill.js';
import { type Problem, ProblemError } from '../../contract/problems.js';
import { thisTool } from '../../contract/version.js';
import { readClockId } from '../../measure/rig/machine.js';
import { resultVersion } from '../../results/result.js';
import type { Plan } from '../../run/plan/plan.js';
import { greetAll } from '../../run/shards/dispatch.js';
import type { ShardClient } from '../../run/shards/shard-client.js';
import { plural } from '../../units/words.js';
import { mostClients, mostDeliveries, type Towards } from './capacity.js';
import { stepsOf } from './clock.js';
import { compose } from './compose.js';
import { exitOf, judge } from './judge.js';
import { type LoopCost, loadLoop, loadPath } from './load.js';
import { Probe } from './probe.js';
import type { DrillResult } from './schema.js';

/** What a drill is given beside its shards. */
export interface DrillContext {
  engine: Plan['load']['engine'];
  /** A few deliveries of the user's target, if one is given. */
  path: Plan | undefined;
  interrupt: AbortSignal;
  childDescriptors: number | null;
  note(line: string): void;
}

/** Drills all shards at once; undefined if the user ends it. Throws `ProblemError` before any load. */
export async function drill(shards: readonly ShardClient[], context: DrillContext): Promise<DrillResult | undefined> {
  const { engine, path, interrupt, note } = context;
  const startedAt = new Date().toISOString();
  const beganMs = performance.now();
  const infos = await greetAll(shards);
  const probes = infos.map((info, index) => new Probe(shards[index] as ShardClient, info));
  const each = <T>(act: (probe: Probe) => Promise<T>): Promise<T[]> => Promise.all(probes.map(act));
  await each((probe) => probe.enter());
  note(`drill: clocks and control links of ${plural(probes.length, 'shard')}`);
  await each((probe) => probe.lookQuietly());
  await each((probe) => probe.lookAtVitals());
  await each((probe) => probe.fetchBytes());
  await each((probe) => probe.lookAtVitals());
  const over = new AbortController();
  const watching = Promise.allSettled(probes.map((probe) => probe.watch(over.signal)));
  const besideOf = ({ info }: Probe): number => infos.filter(({ clockId }) => clockId === info.clockId).length;
  try {
    if (interrupt.aborted) return undefined;
    note('drill: some seconds of deliveries on the loopback of each shard');
    const loads = await each((probe) => loopOf(probe, besideOf(probe), context));
    if (interrupt.aborted) return undefined;
    if (path) note('drill: a few deliveries of the target');
    const alive = probes.filter(({ lost }) => lost === undefined);
    const along = path && alive.length > 0 ? await loadPath(path, alive, context) : undefined;
    over.abort();
    await each((probe) => probe.lookQuietly());
    await each((probe) => probe.lookAtVitals());
    if (interrupt.aborted) return undefined;
    const drilled = probes.map((probe, index) =>
      compose(probe, { beside: besideOf(probe), ...loads[index]!, path: along?.paths[alive.indexOf(probe)] ?? null }),
    );
    const driverStepsMs = stepsOf((probes[0]?.looks ?? []).map(({ driver }) => driver));
    const findings = judge(drilled, { driverStepsMs, targetFix: along?.fix });
    const there = drilled.filter(({ lost }) => lost === undefined);
    return {
      schema: resultVersion,
      tool: thisTool,
      startedAt,
      elapsedMs: performance.now() - beganMs,
      isReady: exitOf(findings) === 'clean',
      engine,
      carries: { ...mostClients(there, towards(there, context)), ...mostDeliveries(there) },
      shards: drilled,
      findings,
    };
  } finally {
    over.abort();
    await watching;
  }
}

/** What deliveries on its own loopback cost a shard, or why that is not known. Throws if another run has the shard. */
async function loopOf(
  probe: Probe,
  beside: number,
  { engine, interrupt, childDescriptors }: DrillContext,
): Promise<{ cost: LoopCost; coreWaitShare: number | null }> {
  const { client } = probe;
  try {
    let metronome: OwnMetronome | undefined;
    await probe.attempt(async () => {
      metronome = await client.startMetronome();
    });
    if (!metronome) return unmeasured('the shard was lost before', true);
    return await loadLoop(probe, metronome, { engine, beside }, { interrupt, childDescriptors });
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problems.some(({ code }) => code === 'shardBusy')) throw error;
    const isAllowed = error.problems.every(({ code }) => code !== 'targetNotAllowed');
    return unmeasured(error.problems.map((each) => withoutUrl(each, client)).join('; '), isAllowed);
  } finally {
    await probe.attempt(() => client.endMetronome());
  }
}

function unmeasured(why: string, isAllowed: boolean): { cost: LoopCost; coreWaitShare: null } {
  return { cost: { isMeasured: false, why, isAllowed }, coreWaitShare: null };
}

function withoutUrl({ message }: Problem, { url }: ShardClient): string {
  return message.startsWith(`${url}: `) ? message.slice(url.length + 2) : message;
}

/** Where the clients of the next run connect to: without a target, to this machine if the whole fleet is here. */
function towards(shards: readonly { clockId: string }[], { engine, path }: DrillContext): Towards {
  const at = path && !path.target.isOurs ? new URL(path.target.wsUrl) : undefined;
  const isHere = shards.every(({ clockId }) => clockId === readClockId());
  const host = at?.hostname ?? (isHere ? '127.0.0.1' : undefined);
  return { host, prefersNative: engine !== 'js' && at?.protocol !== 'wss:' };
}
