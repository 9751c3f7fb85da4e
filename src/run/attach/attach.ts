import { setTimeout as delay } from 'node:timers/promises';
import { problemError } from '../../contract/problems.js';
import type { Attached } from '../../results/result.js';
import { plannedStages } from '../../scenarios/rounds.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { concludeRun, type RunContext, type RunOutcome } from '../run.js';
import { readEveryMs, TargetObservation } from '../server/observe.js';
import { pollEveryMs } from '../shards/member.js';
import { secondsInWords } from '../shards/partial-body.js';
import { thisDriver } from '../shards/shard-client.js';
import { LiveTimeline } from '../timeline/live-timeline.js';
import { type Disrupt, watch } from '../watch.js';
import { type BegunPlan, type OwnFleet, planOf, readLeft, type SeenRun } from './handover.js';
import {
  askShards,
  findShardsOfRun,
  isRunFree,
  openedBy,
  ranMs,
  stoodMs,
  type TakenOverRun,
  takeOverRun,
} from './take-over.js';

interface AttachContext extends Pick<RunContext, 'shards' | 'interrupt' | 'notKept' | 'progress'> {
  follow: RunContext['progress'];
}

interface Taken {
  plan: BegunPlan;
  party: TakenOverRun;
  course: LiveTimeline;
  sight: { observation?: TargetObservation };
}

/** `silentMs` is 0 if the earlier driver had left. */
type Before = Pick<Attached, 'from' | 'silentMs'>;

/** Follows a run that another driver began. Takes over when that driver is gone, and keeps the same result. */
export async function attach(
  runId: string,
  own: OwnFleet,
  context: AttachContext,
): Promise<RunOutcome & { scenario: Scenario }> {
  const party = await findShardsOfRun(runId, context.shards, context);
  const plan = planOf(runId, party.order, own);
  const { scenario, options, load, begun } = plan;
  const sight: Taken['sight'] = {};
  const course = new LiveTimeline(scenario.demand(options, load).durationMs, 0, () => sight.observation?.now() ?? {});
  const taken: Taken = { plan, party, course, sight };
  const before = await follow(taken, context);
  const hasEnded = party.members.every(({ isOver }) => isOver);
  const left = readLeft(party.states.map((state) => state?.left ?? null));
  const atMs = ranMs(party, hasEnded) + (left?.postedAtMs ?? 0);
  const zeroMs = performance.now() - atMs;
  const lacks = left ? [] : lacking(taken, { atMs, hasEnded });
  const attached = { atMs, at: new Date().toISOString(), by: thisDriver, ...before, lacks };
  const { silences, ...seen } = left ?? (await goOn(taken, context, { zeroMs, endedAtMs: hasEnded ? atMs : null }));
  const { members } = party;
  const startedAt = new Date(begun.startedAt);
  const describe = async () => begun.target;
  const over = { runId, startedAt, members, seen, silences, zeroMs, describe, attached };
  return { ...(await concludeRun(plan, over, context)), scenario };
}

async function follow({ party, course }: Taken, context: AttachContext): Promise<Before> {
  for (;;) {
    await askShards(party);
    const before = driverBefore(party);
    if (isRunFree(party) && (await takeOverRun(party))) return before;
    if (context.interrupt.aborted) throw problemError('runGoesOn', `run ${party.runId} goes on with ${before.from}`);
    context.follow(course.look(party.members, ranMs(party, false)));
    await delay(pollEveryMs);
  }
}

function driverBefore({ states }: TakenOverRun): Before {
  const drivers = states.flatMap((state) => state?.driver ?? []);
  const hasLeft = states.some((state) => state?.left);
  const from = drivers.find(({ name }) => name !== thisDriver)?.name ?? thisDriver;
  return { from, silentMs: hasLeft ? 0 : Math.max(0, ...drivers.map(({ silentMs }) => silentMs)) };
}

interface Arrival {
  zeroMs: number;
  /** Time at which the load ended; null while it goes on. */
  endedAtMs: number | null;
}

async function goOn(
  { plan, party, course, sight }: Taken,
  { interrupt, progress }: AttachContext,
  { zeroMs, endedAtMs }: Arrival,
): Promise<Omit<SeenRun, 'silences'> & { silences?: undefined }> {
  const { scenario, options, load, begun } = plan;
  const hasEnded = endedAtMs !== null;
  const waitedMs = hasEnded ? 0 : stoodMs(party);
  // A target that the other driver started has addresses of that driver's machine.
  const isInSight = !hasEnded && !begun.target.isOurs;
  const observation = new TargetObservation(isInSight ? begun.sights : {}, readEveryMs(scenario));
  sight.observation = observation;
  const stages = plannedStages({ ...scenario, options }, scenario.demand(options, load).clients);
  try {
    const end = await watch(scenario, stages, party.members, {
      interrupt,
      keepsPart: scenario.work !== undefined,
      targetGone: begun.target.isOurs && !hasEnded ? Promise.resolve(goneWithDriver) : new Promise(() => undefined),
      look: (looked) => progress(course.look(looked, performance.now() - zeroMs)),
      disrupt: disruptionOf(plan),
      openedBefore: openedBy(party),
    });
    const offsetMs = observation.fromMs - zeroMs;
    const observations = (await observation.stop()).map((series) => ({
      ...series,
      points: series.points.map(({ atMs, value }) => ({ atMs: atMs + offsetMs, value })),
    }));
    return {
      elapsedMs: endedAtMs ?? performance.now() - zeroMs,
      waitedMs,
      postedAtMs: 0,
      end,
      counts: {},
      observations,
      gauges: course.gauges(),
    };
  } finally {
    await observation.stop();
  }
}

const goneWithDriver = 'the driver that had started it is gone';

/** This driver does not know how to restart the target. The counts show whether an earlier driver did. */
function disruptionOf({ scenario: { disruption }, options }: BegunPlan): Disrupt | undefined {
  if (!disruption) return undefined;
  return {
    gate: disruption.gate,
    act: () => Promise.reject(new Error('the driver that restarts the target is gone')),
    failed: (counts) => disruption.failed(counts, options),
  };
}

function lacking(
  { plan: { scenario, begun, modules } }: Taken,
  { atMs, hasEnded }: { atMs: number; hasEnded: boolean },
) {
  const { sights, hasOwnSights } = begun;
  const before = hasEnded ? '' : ` before ${secondsInWords(atMs)}`;
  const wasRead = hasOwnSights || sights.statsUrl !== undefined || sights.metricsUrl !== undefined;
  return [
    `the course of the shards${before}, but for the last seconds`,
    ...(wasRead ? [`readings of the target${before}`] : []),
    ...(scenario.disruption ? ['how long the restart of the target took'] : []),
    ...(modules ? ['`teardown` of its flows'] : []),
  ];
}
