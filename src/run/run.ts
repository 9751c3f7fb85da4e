import { randomBytes, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { contractVersion, type JobRequest } from '../contract/job.js';
import { type Problem, ProblemError } from '../contract/problems.js';
import type { ShardInfo } from '../contract/shard.js';
import { keep, keeping, resultDirectory } from '../results/keep.js';
import type { ProgressView } from '../results/progress.js';
import type { RunResult } from '../results/result.js';
import { plannedStages } from '../scenarios/rounds.js';
import type { Observation } from '../targets/observe/observe.js';
import { Course } from './course/course.js';
import { compose } from './judge/compose.js';
import { trustOf } from './judge/trust.js';
import { carryProblems } from './plan/carry.js';
import type { Plan } from './plan/plan.js';
import { collect } from './shards/collect.js';
import { answerOf, greetAll } from './shards/greet.js';
import { Member } from './shards/member.js';
import { postAll } from './shards/post-all.js';
import type { ShardClient } from './shards/shard-client.js';
import type { LiveTarget } from './target/live-target.js';
import { observe } from './target/observe.js';
import { observeAnew } from './target/observe-anew.js';
import { redeploymentOf, redeployProblems } from './target/restart-options.js';
import { startPlanned } from './target/start-target.js';
import { targetNow } from './target/target-now.js';
import { watch } from './watch.js';

/** What a run is given beside its plan. */
export interface RunContext {
  shards: readonly ShardClient[];
  /** Descriptor limit of processes that this one starts; null when unknown. */
  childDescriptors: number | null;
  interrupt: AbortSignal;
  /** Told where a result could not be written. */
  notKept(problem: Problem): void;
  /** What serves already, in place of what the plan would start: who keeps it over several runs gives one that no run can stop. */
  held?: LiveTarget | undefined;
  progress(view: ProgressView): void;
}

/** A run's result, and the directory in which it is kept, as far as that could be written. */
export interface RunOutcome {
  result: RunResult;
  directory: string;
  /** Per measured broadcast, as the scenario's roles report them. */
  series: Record<string, Uint32Array>;
}

/** One run from its plan to its kept result. Throws `ProblemError` before any load is made; afterwards there is always a result. */
export async function run(plan: Plan, context: RunContext): Promise<RunOutcome> {
  const infos = await greetAll(context.shards);
  refuse(plan, context, infos);
  const runId = randomBytes(4).toString('hex');
  const startedAt = new Date();
  const { disruption } = plan.scenario;
  const redeployment = redeploymentOf(plan);
  const processes = plan.fleet.targetProcesses;
  const target = context.held ?? (await startPlanned(plan.target, { processes, redeployment }));
  // Where memory is the subject, a short ramp must give enough readings for a line; a restart takes no more than a few seconds.
  const observeEveryMs = plan.scenario.isCapacity || disruption ? 250 : 1000;
  const observation = observe(target.sights, observeEveryMs);
  const observedFromMs = performance.now();
  const over = new AbortController();
  const anew: Observation[] = [];
  const stopObserving = async () => (await Promise.all([observation, ...anew].map((each) => each.stop()))).flat();
  let ofRestart: Record<string, number> = {};
  const act = async (): Promise<void> => {
    if (!redeployment) return;
    const before = target.sights.pid;
    const orderedMs = performance.now();
    const counted = await target.restart(redeployment, over.signal);
    ofRestart = { ...counted, redeployMs: Math.ceil(performance.now() - orderedMs) };
    const { pid } = target.sights;
    const isAnother = pid !== undefined && pid !== before;
    if (isAnother && !over.signal.aborted) anew.unshift(observeAnew(pid, observeEveryMs, observedFromMs));
  };
  try {
    const members = await dispatch(plan, target, context.shards, infos, runId);
    const postedAtMs = performance.now() - observedFromMs;
    const demand = plan.scenario.demand(plan.options, plan.load);
    const course = new Course(plan.scenario, demand.durationMs, postedAtMs, () => targetNow([...anew, observation]));
    const end = await watch(
      plan.scenario,
      plannedStages({ ...plan.scenario, options: plan.options }, demand.clients),
      members,
      {
        interrupt: context.interrupt,
        targetGone: target.gone,
        takesNone: (figures) => plan.scenario.takesNone?.(figures),
        look: (looked, watchedMs) => context.progress(course.look(looked, watchedMs)),
        disrupt: disruption && {
          gate: disruption.gate,
          act,
          failed: (counts) => disruption.failed({ ...counts, ...ofRestart }, plan.options),
        },
      },
    );
    const elapsedMs = performance.now() - observedFromMs - postedAtMs;
    const observations = await stopObserving();
    const collected = await collect(plan.scenario, members, observedFromMs);
    Object.assign(collected.counts, ofRestart);
    const described = await target.describe(plan.load.client);
    const kind = { client: plan.load.client, protocol: plan.target.protocol };
    const trust = await trustOf(plan.fleet.trustDir, kind, demand, collected.results);
    const seen = { observations, gauges: course.gauges(), postedAtMs };
    const measured = { trust, runId, startedAt, elapsedMs, end, collected, target: described, ...seen };
    const result = compose(plan, measured);
    const directory = resultDirectory(
      plan.fleet.resultsDir,
      result.startedAt,
      plan.scenario.name,
      plan.target.name,
      runId,
    );
    await keeping(directory, context.notKept, () => keep(directory, result, collected.samples));
    return { result, directory, series: collected.series };
  } finally {
    over.abort();
    await stopObserving();
    await target.stop();
  }
}

function refuse(plan: Plan, context: RunContext, infos: readonly ShardInfo[]): void {
  const shards = context.shards.map((shard, index) => ({ url: shard.url, info: infos[index] as ShardInfo }));
  const problems = carryProblems(plan, { shards, childDescriptors: context.childDescriptors });
  problems.push(...redeployProblems(plan));
  if (problems.length > 0) throw new ProblemError(problems);
}

/** Posts every shard its slice of the one job. */
async function dispatch(
  plan: Plan,
  target: LiveTarget,
  shards: readonly ShardClient[],
  infos: readonly ShardInfo[],
  runId: string,
): Promise<Member[]> {
  const { wsUrls, publishUrls, inProcessUrl, publishHeaders } = target;
  const [publishUrl, ...furtherPublishUrls] = publishUrls;
  const body = (index: number): JobRequest => ({
    contract: contractVersion,
    runId,
    idempotencyKey: randomUUID(),
    driver: `${hostname()}/${process.pid}`,
    scenario: plan.scenario.name,
    protocol: plan.target.protocol,
    protocolOptions: plan.target.isOurs ? {} : plan.target.protocolOptions,
    target: { wsUrls: [...wsUrls], publishUrl, furtherPublishUrls, inProcessUrl, publishHeaders },
    stream: `ringside-${runId}`,
    slice: { index, of: shards.length },
    seed: plan.fleet.seed,
    options: plan.options,
    load: { ...plan.load },
  });
  return postAll(shards, async (shard, index) => {
    const jobId = await answerOf(shard, shard.post(body(index)));
    return new Member(shard, infos[index] as ShardInfo, jobId, plan.load.leaseMs);
  });
}
