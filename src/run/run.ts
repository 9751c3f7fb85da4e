import { randomBytes } from 'node:crypto';
import { engineProblems } from '../contract/engine.js';
import { type Problem, ProblemError } from '../contract/problems.js';
import type { ShardInfo } from '../contract/shard.js';
import type { ProgressView } from '../results/progress.js';
import type { RunResult } from '../results/result.js';
import { ResultStore, resultDirectory } from '../results/store.js';
import { plannedStages } from '../scenarios/rounds.js';
import { Course } from './course/course.js';
import { compose } from './judge/compose.js';
import { trustOf } from './judge/trust.js';
import type { Plan } from './plan/plan.js';
import { carryProblems } from './plan/preflight.js';
import { areShardsGiven } from './plan/shard-options.js';
import { type Collected, collect } from './shards/collect.js';
import { dispatch, greetAll } from './shards/dispatch.js';
import { untilFree } from './shards/hold.js';
import type { ShardClient } from './shards/shard-client.js';
import type { LiveTarget } from './target/live-target.js';
import { TargetObservation } from './target/observe.js';
import { processesOf } from './target/processes.js';
import { redeploymentOf, redeployProblems, targetRestart } from './target/redeploy.js';
import { availableVersion, startPlanned } from './target/start-target.js';
import type { Attendant } from './together.js';
import { watch } from './watch.js';

export interface RunContext {
  shards: readonly ShardClient[];
  /** Descriptor limit of processes that this one starts; null when unknown. */
  childDescriptors: number | null;
  interrupt: AbortSignal;
  notKept(problem: Problem): void;
  /** A target that already serves and outlives the run, instead of one that the run starts. */
  held?: LiveTarget | undefined;
  /** This run among others that start each stage with it. */
  attendant?: Attendant | undefined;
  progress(view: ProgressView): void;
  /** Takes a line about shards that another run holds. */
  note?(line: string): void;
}

export interface RunOutcome {
  result: RunResult;
  directory: string;
  /** Per measured broadcast, as the scenario's roles report them. */
  series: Record<string, Uint32Array>;
  samples: Collected['samples'];
}

/** One run, from its plan to its kept result. Throws `ProblemError` before any load; after that there is a result. */
export async function run(plan: Plan, context: RunContext): Promise<RunOutcome> {
  try {
    return await runAlone(plan, context);
  } finally {
    context.attendant?.leave();
  }
}

async function runAlone(plan: Plan, context: RunContext): Promise<RunOutcome> {
  const { scenario, options, load, fleet } = plan;
  if (areShardsGiven(plan.fleet)) await untilFree(context.shards, { ...context, waitMs: plan.fleet.waitMs });
  const { infos, target } = await start(plan, context);
  const runId = randomBytes(4).toString('hex');
  const startedAt = new Date();
  // Memory needs many readings during a short ramp, and a restart takes only a few seconds.
  const observation = new TargetObservation(target.sights, scenario.isCapacity || scenario.disruption ? 250 : 1000);
  const restart = targetRestart(plan, target, observation);
  try {
    const members = await dispatch(plan, target, context.shards, infos, runId, context);
    const postedAtMs = performance.now() - observation.fromMs;
    const demand = scenario.demand(options, load);
    const course = new Course(demand.durationMs, postedAtMs, () => observation.now());
    const end = await watch(scenario, plannedStages({ ...scenario, options }, demand.clients), members, {
      interrupt: context.interrupt,
      targetGone: target.gone,
      look: (looked, watchedMs) => context.progress(course.look(looked, watchedMs)),
      standsAt: context.attendant?.standsAt,
      pause: context.attendant?.pause,
      disrupt: restart,
    });
    const elapsedMs = performance.now() - observation.fromMs - postedAtMs;
    const observations = await observation.stop();
    const collected = await collect(scenario, members, observation.fromMs);
    Object.assign(collected.counts, restart?.counts());
    const described = await target.describe(load.client);
    const kind = { client: load.client, protocol: plan.target.protocol };
    const trust = await trustOf(fleet.trustDir, kind, demand, collected.results);
    const waitedMs = context.attendant?.waitedMs() ?? 0;
    const seen = { observations, gauges: course.gauges(), postedAtMs, waitedMs };
    const result = compose(plan, { trust, runId, startedAt, elapsedMs, end, collected, target: described, ...seen });
    const directory = resultDirectory(fleet.resultsDir, result.startedAt, scenario.name, plan.target.name, runId);
    await new ResultStore(context.notKept).keepRun(directory, result, collected);
    return { result, directory, series: collected.series, samples: collected.samples };
  } finally {
    restart?.end();
    await observation.stop();
    await target.stop();
  }
}

/** Starts the target once nothing speaks against the run. Throws `ProblemError`, with nothing left running. */
async function start(
  plan: Plan,
  { shards, childDescriptors, held }: RunContext,
): Promise<{ infos: ShardInfo[]; target: LiveTarget }> {
  refuse(redeployProblems(plan));
  const [greeted, available] = await Promise.allSettled([
    greetAll(shards).then((infos) => {
      const carriers = shards.map(({ url }, index) => ({ url, info: infos[index] as ShardInfo }));
      refuse([...carryProblems(plan, { shards: carriers, childDescriptors }), ...enginesLacking(plan, carriers)]);
      return infos;
    }),
    held ? undefined : availableVersion(plan.target),
  ]);
  if (greeted.status === 'rejected') throw greeted.reason;
  if (available.status === 'rejected') throw available.reason;
  const ways = { processes: processesOf(plan), redeployment: redeploymentOf(plan), version: available.value };
  return { infos: greeted.value, target: held ?? (await startPlanned(plan.target, ways)) };
}

function enginesLacking({ load, target }: Plan, shards: readonly { url: string; info: ShardInfo }[]): Problem[] {
  const wsUrls = target.isOurs ? [] : [target.wsUrl];
  return shards.flatMap(({ url, info }) => engineProblems(load, wsUrls, info.engine, `${url}: `));
}

function refuse(problems: readonly Problem[]): void {
  if (problems.length > 0) throw new ProblemError(problems);
}
