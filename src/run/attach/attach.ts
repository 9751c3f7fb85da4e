import { setTimeout as delay } from 'node:timers/promises';
import { problemError } from '../../contract/problems.js';
import type { Attached } from '../../results/result.js';
import { plannedStages } from '../../scenarios/rounds.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { concludeRun, type RunContext, type RunOutcome } from '../run.js';
import { onAxis, readEveryMs, TargetObservation } from '../server/observe.js';
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

/** `silentMs` is 0 if the earlier driver had left. */
type Before = Pick<Attached, 'from' | 'silentMs'>;

/** Follows a run that another driver began. Takes over when that driver is gone, and keeps the same result. */
export async function attach(
  runId: string,
  own: OwnFleet,
  context: AttachContext,
): Promise<RunOutcome & { scenario: Scenario }> {
  const run = await findShardsOfRun(runId, context.shards, context);
  const plan = planOf(runId, run.order, own);
  const { scenario, options, load, begun } = plan;
  const { members } = run;
  let observation: TargetObservation | undefined;
  const { durationMs } = scenario.demand(options, load);
  const timeline = new LiveTimeline(durationMs, 0, () => observation?.now() ?? {});
  const before = await follow(run, timeline, context);
  const hasEnded = members.every(({ isOver }) => isOver);
  const left = readLeft(run.states.map((state) => state?.left ?? null));
  const atMs = ranMs(run, hasEnded) + (left?.postedAtMs ?? 0);
  const zeroMs = performance.now() - atMs;
  const goOn = async (): Promise<Omit<SeenRun, 'silences'>> => {
    // A target that the other driver started has addresses of that driver's machine.
    const isInSight = !hasEnded && !begun.target.isOurs;
    observation = new TargetObservation(
      isInSight ? { ...begun.sights, series: begun.series } : {},
      readEveryMs(scenario),
    );
    const ended = hasEnded ? { elapsedMs: atMs, waitedMs: 0 } : { waitedMs: stoodMs(run) };
    const seen = await seenOf(plan, run, { timeline, observation, zeroMs, hasEnded }, context);
    return { ...seen, ...ended };
  };
  const attached = {
    ...{ atMs, at: new Date().toISOString(), by: thisDriver, ...before },
    lacks: left ? [] : lacking(plan, hasEnded ? '' : ` before ${secondsInWords(atMs)}`),
  };
  const { silences, ...seen }: Omit<SeenRun, 'silences'> & Partial<SeenRun> = left ?? (await goOn());
  const startedAt = new Date(begun.startedAt);
  const over = { runId, startedAt, members, seen, silences, zeroMs, describe: async () => begun.target, attached };
  return { ...(await concludeRun(plan, over, context)), scenario };
}

async function follow(run: TakenOverRun, timeline: LiveTimeline, context: AttachContext): Promise<Before> {
  for (;;) {
    await askShards(run);
    const before = driverBefore(run);
    if (isRunFree(run) && (await takeOverRun(run))) return before;
    if (context.interrupt.aborted) throw problemError('runGoesOn', `run ${run.runId} goes on with ${before.from}`);
    context.follow(timeline.look(run.members, ranMs(run, false)));
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
  timeline: LiveTimeline;
  observation: TargetObservation;
  zeroMs: number;
  hasEnded: boolean;
}

/** Watches the run to its end. */
async function seenOf(
  plan: BegunPlan,
  run: TakenOverRun,
  { timeline, observation, zeroMs, hasEnded }: Arrival,
  { interrupt, progress }: AttachContext,
): Promise<Omit<SeenRun, 'silences' | 'waitedMs'>> {
  const { scenario, options, load, begun } = plan;
  const stages = plannedStages({ ...scenario, options }, scenario.demand(options, load).clients);
  try {
    const end = await watch(scenario, stages, run.members, {
      interrupt,
      keepsPart: scenario.work !== undefined,
      targetGone: begun.target.isOurs && !hasEnded ? Promise.resolve(goneWithDriver) : new Promise(() => undefined),
      look: (looked) => void progress(timeline.look(looked, performance.now() - zeroMs)),
      disrupt: disruptionOf(plan),
      openedBefore: openedBy(run),
    });
    const observations = (await observation.stop()).map((series) => onAxis(series, observation.fromMs - zeroMs));
    const elapsedMs = performance.now() - zeroMs;
    return { elapsedMs, postedAtMs: 0, end, counts: {}, observations, gauges: timeline.gauges() };
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

function lacking({ scenario, begun, modules }: BegunPlan, before: string): string[] {
  const { sights, hasOwnSights } = begun;
  const wasRead = hasOwnSights || sights.statsUrl !== undefined || sights.metricsUrl !== undefined;
  return [
    `the course of the shards${before}, but for the last seconds`,
    ...(wasRead ? [`readings of the target${before}`] : []),
    ...(scenario.disruption ? ['how long the restart of the target took'] : []),
    ...(modules ? ['`teardown` of its flows'] : []),
  ];
}
