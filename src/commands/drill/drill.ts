import type { OwnMetronome } from '../../contract/drill.js';
import { ProblemError, problem } from '../../contract/problems.js';
import { thisTool } from '../../contract/version.js';
import { readClockId } from '../../measure/rig/machine.js';
import { resultVersion } from '../../results/result.js';
import type { Plan } from '../../run/plan/plan.js';
import { endpointOf } from '../../run/plan/preflight.js';
import { isBusy } from '../../run/shards/hold.js';
import { plural } from '../../units/text.js';
import { mostClients, mostDeliveries, type Sharing, type Towards } from './capacity.js';
import { stepsOf } from './clock.js';
import { shardDrillOf } from './compose.js';
import type { LoopLoad } from './cost.js';
import type { Met } from './greet.js';
import { drillExit, judgeDrill } from './judge.js';
import { loadLoop, loadPath, messagesOf } from './load.js';
import type { Probe } from './probe.js';
import type { DrillResult } from './schema.js';

/** Holds the inputs of a drill besides its shards. */
export interface DrillContext {
  engine: Plan['load']['engine'];
  /** Plan for a few deliveries of the user's target, if one is given. */
  path: Plan | undefined;
  interrupt: AbortSignal;
  childDescriptors: number | null;
  note(line: string): void;
}

/** Drills all shards at once. Throws `ProblemError` if the user ends it. */
export async function drill({ probes, absent }: Met, context: DrillContext): Promise<DrillResult> {
  const { engine, path, interrupt, note } = context;
  const startedAt = new Date().toISOString();
  const beganMs = performance.now();
  const each = <T>(act: (probe: Probe) => Promise<T>): Promise<T[]> => Promise.all(probes.map(act));
  note(`drill: clocks and control links of ${plural(probes.length, 'shard')}`);
  await each((probe) => probe.lookAtVitals('first'));
  await each((probe) => probe.lookQuietly());
  await each((probe) => probe.lookAtVitals('quiet'));
  await each((probe) => probe.fetchBytes());
  await each((probe) => probe.lookAtVitals('sent'));
  const over = new AbortController();
  const watching = Promise.allSettled(probes.map((probe) => probe.watch(over.signal)));
  const sharings = probes.map((probe) => sharingOf(probe, probes));
  try {
    refuseInterrupted(interrupt);
    note('drill: some seconds of deliveries on the loopback of each shard');
    const loads = await Promise.all(probes.map((probe, index) => loopOf(probe, sharings[index]!, context)));
    refuseInterrupted(interrupt);
    if (path) note('drill: a few deliveries of the target');
    const alive = probes.filter(({ lost }) => lost === undefined);
    const along = path && alive.length > 0 ? await loadPath(path, alive, context) : undefined;
    over.abort();
    await each((probe) => probe.lookQuietly());
    await each((probe) => probe.lookAtVitals('last'));
    refuseInterrupted(interrupt);
    const drilled = probes.map((probe, index) =>
      shardDrillOf(probe, {
        ...loads[index]!,
        path: along?.paths[alive.indexOf(probe)] ?? null,
        sharing: sharings[index]!,
      }),
    );
    const driverStepsMs = stepsOf((probes[0]?.looks ?? []).map(({ driver }) => driver));
    const findings = judgeDrill(drilled, { absent, driverStepsMs, targetFix: along?.fix });
    const there = drilled.filter(({ lost }) => lost === undefined);
    return {
      schema: resultVersion,
      tool: thisTool,
      startedAt,
      elapsedMs: performance.now() - beganMs,
      isReady: drillExit(findings) === 'clean',
      engine,
      carries: { ...mostClients(there, towards(there, context)), ...mostDeliveries(there) },
      absent: [...new Set(absent.map(({ url }) => url))],
      shards: drilled,
      findings,
    };
  } finally {
    over.abort();
    await watching;
  }
}

function refuseInterrupted({ aborted }: AbortSignal): void {
  if (aborted) throw new ProblemError([problem('drillInterrupted', 'the drill was ended before it was over')]);
}

/** Counts the shards that share the machine and the CPU quota of this one. */
function sharingOf({ info, vitals }: Probe, probes: readonly Probe[]): Sharing {
  const beside = probes.filter((other) => other.info.clockId === info.clockId);
  const group = vitals.quiet?.quotaGroup ?? null;
  const sharers = beside.filter((other) => group !== null && other.vitals.quiet?.quotaGroup === group);
  return { machine: beside.length, quota: Math.max(1, sharers.length) };
}

/** Measures the cost of deliveries on the shard's own loopback, or returns why it is not known. */
async function loopOf(
  probe: Probe,
  sharing: Sharing,
  { engine, interrupt, childDescriptors }: DrillContext,
): Promise<LoopLoad> {
  const { client } = probe;
  try {
    let metronome: OwnMetronome | undefined;
    await probe.attempt(async () => {
      metronome = await client.startMetronome();
    });
    if (!metronome) return unmeasured('the shard was lost before', true);
    return await loadLoop(probe, metronome, { engine, sharing }, { interrupt, childDescriptors });
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    if (isBusy(error)) probe.lost ??= error.message;
    const isAllowed = error.problems.every(({ code }) => code !== 'targetNotAllowed');
    return unmeasured(messagesOf(error.problems, client.url)[0] ?? error.message, isAllowed);
  } finally {
    // A lost shard ends by itself what it started.
    if (probe.lost === undefined) await probe.endMetronome();
  }
}

function unmeasured(why: string, isAllowed: boolean): LoopLoad {
  return { cost: { isMeasured: false, why, isAllowed }, coreWaitShare: null };
}

/** Returns where the clients of the next run connect: without a target, to this machine if the whole fleet is here. */
function towards(shards: readonly { clockId: string }[], { engine, path }: DrillContext): Towards {
  const at = path && !path.target.isOurs ? new URL(path.target.wsUrl) : undefined;
  const isHere = shards.every(({ clockId }) => clockId === readClockId());
  const host = at?.hostname ?? (isHere ? '127.0.0.1' : undefined);
  return { host, endpoint: at && endpointOf(at), prefersNative: engine !== 'js' && at?.protocol !== 'wss:' };
}
