import { randomBytes } from 'node:crypto';
import { engineProblems } from '../contract/engine.js';
import { type Problem, ProblemError, problem } from '../contract/problems.js';
import type { ShardInfo } from '../contract/shard.js';
import type { ProgressView } from '../results/progress.js';
import { plannedStages } from '../scenarios/rounds.js';
import { leave } from './attach/left.js';
import { runPlanOf } from './attach/run-plan.js';
import { concludeRun, type Over, type RunOutcome } from './conclude.js';
import { LiveTimeline } from './course/course.js';
import { LoggedLines } from './flow/logged-lines.js';
import { moduleProblems, sendModules } from './flow/send-modules.js';
import { FlowSetups } from './flow/setup.js';
import type { Plan } from './plan/plan.js';
import { carryProblems } from './plan/preflight.js';
import { areShardsGiven, type ShardOptions } from './plan/shard-options.js';
import type { LiveTarget } from './server/live-target.js';
import { readEveryMs, TargetObservation } from './server/observe.js';
import { redeploymentOf, redeployProblems, targetRestart } from './server/redeploy.js';
import { availableVersion, startPlanned } from './server/start-target.js';
import { processesOf } from './server/supervised.js';
import { silencesOf } from './shards/collect.js';
import { dispatch, greetAll } from './shards/dispatch.js';
import { untilFree } from './shards/hold.js';
import type { ShardClient } from './shards/shard-client.js';
import type { Attendant } from './together.js';
import { watch } from './watch.js';

export interface RunContext {
  shards: readonly ShardClient[];
  /** Descriptor limit of processes that this process starts; null if unknown. */
  childDescriptors: number | null;
  interrupt: AbortSignal;
  /** If set, a run that its user ends keeps the figures measured so far. Otherwise it keeps none. */
  keepsPart?: boolean | undefined;
  notKept(problem: Problem): void;
  /** A target that already serves and outlives the run. Without it, the run starts its own. */
  held?: LiveTarget | undefined;
  /** Coordinates this run with others that start each stage at the same time. */
  attendant?: Attendant | undefined;
  progress(view: ProgressView): void;
  runId?: string | undefined;
  /** Receives the id of a run that another driver could continue, and its shards as the user gave them. */
  begun?(runId: string, shards: ShardOptions): void;
  /** Receives a line about shards that another run holds, or a flow whose `teardown` failed. */
  note?(line: string): void;
}

/** Executes one run. Throws `ProblemError` before any load; after that there is a result. */
export async function run(plan: Plan, context: RunContext): Promise<RunOutcome> {
  return attended(plan, context, (over) => concludeRun(plan, over, context));
}

/** Executes one run, and leaves its result and the records of this driver on the shards. */
export async function runAndLeave(plan: Plan, context: RunContext): Promise<Pick<Over, 'runId' | 'seen'>> {
  if (!context.shards.every(({ isApart }) => isApart)) {
    const message = '--leave: expected bench-runners that run already, as those that start here end with this driver';
    throw new ProblemError([problem('badOption', message)]);
  }
  return attended(plan, context, async ({ runId, members, seen, zeroMs }) => {
    const silences = members.map((member) => silencesOf(member, zeroMs));
    await leave(members, { ...seen, silences });
    return { runId, seen };
  });
}

/** Returns eight hex digits. */
export function newRunId(): string {
  return randomBytes(4).toString('hex');
}

async function attended<T>(plan: Plan, context: RunContext, work: (over: Over) => Promise<T>): Promise<T> {
  return driven(plan, context, work).finally(() => context.attendant?.leave());
}

async function driven<T>(plan: Plan, context: RunContext, work: (over: Over) => Promise<T>): Promise<T> {
  const { scenario, options, load, fleet } = plan;
  if (areShardsGiven(fleet)) await untilFree(context.shards, { ...context, waitMs: fleet.waitMs });
  const { infos, target } = await start(plan, context);
  const runId = context.runId ?? newRunId();
  const startedAt = new Date();
  const observation = new TargetObservation(target.sights, readEveryMs(scenario));
  const restart = targetRestart(plan, target, observation);
  const modules = plan.modules ?? [];
  const logged = new LoggedLines((line) => context.note?.(line));
  const setups = new FlowSetups(modules, {
    ...{ target: new URL(target.wsUrls[0]!), seed: fleet.seed, load, interrupt: context.interrupt, note: context.note },
  });
  try {
    const named = await sendModules(plan, await setups.begin(), context.shards);
    const asData = await runPlanOf(plan, target, { shards: context.shards, startedAt });
    const members = await dispatch(
      plan,
      target,
      context.shards,
      infos,
      { runId, plan: asData, modules: named },
      context,
    );
    if (asData) context.begun?.(runId, fleet);
    const postedAtMs = performance.now() - observation.fromMs;
    const demand = scenario.demand(options, load);
    const course = new LiveTimeline(demand.durationMs, postedAtMs, () => observation.now());
    const end = await watch(scenario, plannedStages({ ...scenario, options }, demand.clients), members, {
      interrupt: context.interrupt,
      keepsPart: context.keepsPart && scenario.work !== undefined,
      targetGone: target.gone,
      look(looked, watchedMs) {
        if (modules.length > 0) logged.look(looked);
        context.progress(course.look(looked, watchedMs));
      },
      standsAt: context.attendant?.standsAt,
      pause: context.attendant?.pause,
      disrupt: restart,
    });
    const elapsedMs = performance.now() - observation.fromMs - postedAtMs;
    const observations = await observation.stop();
    const coreWaits = observation.coreWaits();
    const waitedMs = context.attendant?.waitedMs() ?? 0;
    const counts = { ...restart?.counts() };
    const seen = { elapsedMs, waitedMs, postedAtMs, end, counts, observations, gauges: course.gauges() };
    const describe = () => target.describe(load.client);
    return await work({ runId, startedAt, members, seen, zeroMs: observation.fromMs, coreWaits, describe });
  } finally {
    restart?.end();
    await observation.stop();
    await setups.end();
    await target.stop();
  }
}

/** Starts the target once all checks pass. Throws `ProblemError`, with nothing left running. */
async function start(
  plan: Plan,
  { shards, childDescriptors, held }: RunContext,
): Promise<{ infos: ShardInfo[]; target: LiveTarget }> {
  refuse(redeployProblems(plan));
  const [greeted, available] = await Promise.allSettled([
    greetAll(shards).then((infos) => {
      const carriers = shards.map(({ url }, index) => ({ url, info: infos[index] as ShardInfo }));
      refuse([
        ...carryProblems(plan, { shards: carriers, childDescriptors }),
        ...enginesLacking(plan, carriers),
        ...moduleProblems(plan, carriers),
      ]);
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
