import { randomBytes } from 'node:crypto';
import { engineProblems } from '../contract/engine.js';
import type { DescribedModule } from '../contract/job.js';
import { type Problem, ProblemError, problem, problemError } from '../contract/problems.js';
import type { ShardInfo } from '../contract/shard.js';
import { aimOf } from '../measure/stats/checks.js';
import type { CoreWaits } from '../measure/waits.js';
import type { ProgressView } from '../results/progress.js';
import type { Attached, RunResult } from '../results/result.js';
import { ResultStore, resultDirectory } from '../results/store.js';
import { plannedStages } from '../scenarios/rounds.js';
import { leave, runPlanOf, type SeenRun } from './attach/handover.js';
import { FlowSetups, LoggedLines, moduleProblems, sendModules } from './flow/drive-modules.js';
import { composeRun } from './judge/compose.js';
import { trustOf } from './judge/trust.js';
import type { Plan } from './plan/plan.js';
import { carryProblems } from './plan/preflight.js';
import { areShardsGiven, type ShardOptions } from './plan/run-options.js';
import { readEveryMs, TargetObservation } from './server/observe.js';
import { redeploymentOf, redeployProblems, targetRestart } from './server/restart.js';
import { availableVersion, type LiveTarget, startPlanned } from './server/start-target.js';
import { processesOf } from './server/supervised.js';
import { type Collected, collect, release, silencesOf } from './shards/collect.js';
import { dispatch, greetAll, untilFree } from './shards/dispatch.js';
import type { Member } from './shards/member.js';
import type { ShardClient } from './shards/shard-client.js';
import { LiveTimeline } from './timeline/live-timeline.js';
import type { Attendant } from './together.js';
import { Until } from './until.js';
import { watch } from './watch.js';

export interface RunOutcome {
  result: RunResult;
  directory: string;
  /** Values per measured broadcast, as the scenario's roles report them. */
  series: Record<string, Uint32Array>;
  samples: Collected['samples'];
}

export interface Over {
  runId: string;
  startedAt: Date;
  members: readonly Member[];
  seen: Omit<SeenRun, 'silences'>;
  silences?: SeenRun['silences'] | undefined;
  /** Zero of the axis of the result, by `performance.now()`. */
  zeroMs: number;
  /** Known only to a driver that started the target. */
  coreWaits?: CoreWaits | undefined;
  describe(): Promise<RunResult['target']>;
  attached?: Attached;
}

/** Fetches the measurements of the shards, merges and judges them, and keeps the result. */
export async function concludeRun(
  plan: Plan<DescribedModule>,
  over: Over,
  { notKept }: { notKept(problem: Problem): void },
): Promise<RunOutcome> {
  const { scenario, options, load, fleet } = plan;
  const { runId, startedAt, seen, zeroMs, attached, coreWaits } = over;
  const collected = await collect(scenario, over.members, zeroMs);
  Object.assign(collected.counts, seen.counts);
  for (const [index, part] of collected.parts.entries()) {
    const before = over.silences?.[index] ?? [];
    if (before.length > 0) part.silences = [...before, ...(part.silences ?? [])];
  }
  const target = await over.describe();
  const kind = { client: load.client, protocol: plan.target.protocol };
  const trust = await trustOf(fleet.trustDir, kind, scenario.demand(options, load), collected.results);
  const result = composeRun(plan, { ...seen, runId, startedAt, trust, collected, target, coreWaits, attached });
  const directory = resultDirectory(fleet.resultsDir, result.startedAt, scenario.name, plan.target.name, runId);
  // Another driver can still fetch from shards that outlive this driver.
  const isSole = plan.slots !== undefined || !over.members.every(({ client }) => client.isApart);
  const hint = `Free space, or change --results: the shards keep the run, and \`ringside attach ${runId}\` fetches it.`;
  let isOver = true;
  const store = new ResultStore((found) => {
    isOver = isSole;
    notKept(isSole ? found : problem(found.code, found.message, hint));
  });
  await store.keepRun(directory, result, collected);
  if (isOver) await release(over.members);
  return { result, directory, series: collected.series, samples: collected.samples };
}

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
  return driven(plan, context, (over) => concludeRun(plan, over, context)).finally(() => context.attendant?.leave());
}

/** Executes one run, and leaves its result and the records of this driver on the shards. */
export async function runAndLeave(plan: Plan, context: RunContext): Promise<Pick<Over, 'runId' | 'seen'>> {
  if (!context.shards.every(({ isApart }) => isApart)) {
    const message = '--leave: expected bench-runners that run already, as those that start here end with this driver';
    throw problemError('badOption', message);
  }
  return driven(plan, context, async ({ runId, members, seen, zeroMs }) => {
    const silences = members.map((member) => silencesOf(member, zeroMs));
    await leave(members, { ...seen, silences });
    return { runId, seen };
  }).finally(() => context.attendant?.leave());
}

/** Returns eight hex digits. */
export function newRunId(): string {
  return randomBytes(4).toString('hex');
}

async function driven<T>(plan: Plan, context: RunContext, work: (over: Over) => Promise<T>): Promise<T> {
  const { scenario, options, load, fleet } = plan;
  if (areShardsGiven(fleet)) await untilFree(context.shards, { ...context, waitMs: fleet.waitMs });
  const { infos, target } = await start(plan, context);
  const runId = context.runId ?? newRunId();
  const startedAt = new Date();
  const observation = new TargetObservation({ ...target.sights, series: fleet.series }, readEveryMs(scenario));
  const restart = targetRestart(plan, target, observation);
  const modules = plan.modules ?? [];
  const logged = new LoggedLines((line) => note?.(line));
  const { interrupt, note } = context;
  const setups = new FlowSetups(modules, {
    target: new URL(target.wsUrls[0]!),
    seed: fleet.seed,
    load,
    interrupt,
    note,
  });
  try {
    const named = await sendModules(plan, await setups.begin(), context.shards);
    const asData = await runPlanOf(plan, target, { shards: context.shards, startedAt });
    const job = { runId, plan: asData, modules: named };
    const members = await dispatch(plan, target, context.shards, infos, job, context);
    if (asData) context.begun?.(runId, fleet);
    const postedAtMs = performance.now() - observation.fromMs;
    const demand = scenario.demand(options, load);
    const timeline = new LiveTimeline(demand.durationMs, postedAtMs, () => observation.now());
    const aim = plan.until === undefined ? undefined : aimOf(plan.until);
    const until = aim && new Until(aim, scenario, options, fleet.seed);
    const end = await watch(scenario, plannedStages({ ...scenario, options }, demand.clients), members, {
      interrupt,
      keepsPart: context.keepsPart && scenario.work !== undefined,
      targetGone: target.gone,
      look(looked, watchedMs) {
        if (modules.length > 0) logged.look(looked);
        const view = timeline.look(looked, watchedMs);
        context.progress(view);
        const known = until?.look(view);
        return known === undefined ? undefined : { code: 'knownEnough', evidence: [known], afterMs: watchedMs };
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
    const seen = { elapsedMs, waitedMs, postedAtMs, end, counts, observations, gauges: timeline.gauges() };
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
  const wsUrls = plan.target.isOurs ? [] : [plan.target.wsUrl];
  const [greeted, available] = await Promise.allSettled([
    greetAll(shards).then((infos) => {
      const carriers = shards.map(({ url }, index) => ({ url, info: infos[index] as ShardInfo }));
      refuse([
        ...carryProblems(plan, { shards: carriers, childDescriptors }),
        ...carriers.flatMap(({ url, info }) => engineProblems(plan.load, wsUrls, info.engine, `${url}: `)),
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

function refuse(problems: readonly Problem[]): void {
  if (problems.length > 0) throw new ProblemError(problems);
}
