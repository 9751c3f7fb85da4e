import { z } from 'zod';
import { type DescribedModule, type LeftBody, mostLeftBytes, type RunPlan, type RunState } from '../../contract/job.js';
import {
  optionProblems,
  ourName,
  outsideSentences,
  type Problem,
  ProblemError,
  problemError,
} from '../../contract/problems.js';
import { stopCodes } from '../../contract/stop-reasons.js';
import { seriesSchema } from '../../measure/series.js';
import { validateOptions } from '../../options/resolve.js';
import { gaugeSeries } from '../../results/progress.js';
import { shardPart } from '../../results/result.js';
import { withModules } from '../../scenarios/flow/index.js';
import { scenarioByName } from '../../scenarios/list.js';
import { loadOptions } from '../../scenarios/load-options.js';
import { targetByName } from '../../targets/list.js';
import { describedOnly } from '../flow/read-modules.js';
import type { Plan } from '../plan/plan.js';
import { type FleetOptions, fleetOptions, type ShardOptions } from '../plan/run-options.js';
import { thresholdsOf } from '../plan/thresholds.js';
import type { PlannedTarget } from '../server/planned.js';
import type { LiveTarget } from '../server/start-target.js';
import type { Member } from '../shards/member.js';
import type { ShardClient } from '../shards/shard-client.js';

/** Holds the driver's own records of a run. All times are on the axis of the result. */
export const seen = z.strictObject({
  elapsedMs: z.number().min(0),
  /** Part of it in which this run waited for other runs that start each stage at the same time. */
  waitedMs: z.number().min(0),
  postedAtMs: z.number().min(0),
  end: z
    .union([
      z.strictObject({ code: z.enum(stopCodes), evidence: outsideSentences, afterMs: z.number().min(0).optional() }),
      z.strictObject({ code: z.literal('audienceShort'), evidence: outsideSentences }),
      z.strictObject({ code: z.literal('publishesUntaken'), evidence: outsideSentences }),
    ])
    .optional(),
  counts: z.record(ourName, z.number()),
  observations: z.array(seriesSchema),
  gauges: z.array(gaugeSeries),
  silences: z.array(shardPart.shape.silences.unwrap()),
});

export type SeenRun = z.output<typeof seen>;

/** Leaves a run on its shards. The first one with a part also keeps the records of this driver. */
export async function leave(members: readonly Member[], what: SeenRun): Promise<void> {
  const there = members.filter(({ status, lost }) => status?.state === 'done' && lost === undefined);
  for (const [index, { client, jobId }] of there.entries()) await client.leave(jobId, index === 0 ? fitting(what) : {});
}

/** Drops the readings if the records are too large, and keeps the figures. */
function fitting(what: SeenRun): LeftBody {
  const isSmall = Buffer.byteLength(JSON.stringify(what)) < mostLeftBytes;
  return isSmall ? what : { ...what, observations: [], gauges: [] };
}

/** Returns the records of the earlier driver; undefined if it did not leave or runs another version. */
export function readLeft(left: readonly (LeftBody | null)[]): SeenRun | undefined {
  for (const body of left) {
    const read = seen.safeParse(body);
    if (read.success) return read.data;
  }
  return undefined;
}

/** Returns a plan as data for a driver that takes over; undefined for a run that no other driver can continue. */
export async function runPlanOf(
  plan: Plan,
  target: LiveTarget,
  { shards, startedAt }: { shards: readonly ShardClient[]; startedAt: Date },
): Promise<RunPlan | undefined> {
  const { fleet, slots, sources, thresholds, load, modules = [] } = plan;
  // Local shards end with their driver, and the runs of a paired comparison need each other.
  if (slots || !shards.every(({ isApart }) => isApart)) return undefined;
  const { pid, statsUrl, metricsUrl } = target.sights;
  const open = { statsUrl: withoutSecret(statsUrl), metricsUrl: withoutSecret(metricsUrl) };
  const hasSecrets = open.statsUrl !== statsUrl || open.metricsUrl !== metricsUrl;
  return {
    startedAt: startedAt.toISOString(),
    target: await target.describe(load.client),
    sights: open,
    hasOwnSights: hasSecrets || pid !== undefined,
    thresholds: thresholds.map(({ text }) => text),
    series: fleet.series,
    modules: modules.map(describedOnly),
    sources,
    targetMemoryBytes: fleet.targetMemoryBytes,
    targetProcesses: fleet.targetProcesses,
  };
}

/** Every driver with the token of a shard can read what the shard keeps. */
function withoutSecret(url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  const { username, password, search } = new URL(url);
  return username === '' && password === '' && search === '' ? url : undefined;
}

/** Holds the options that the new driver of a run supplies itself. */
export type OwnFleet = ShardOptions & Pick<FleetOptions, 'resultsDir' | 'trustDir' | 'isStrict'>;

export interface BegunPlan extends Plan<DescribedModule> {
  begun: RunPlan;
}

/** Returns the plan of a run that another driver began. Throws `ProblemError` if this version can't continue it. */
export function planOf(runId: string, order: RunState['order'], own: OwnFleet): BegunPlan {
  const { plan: begun, seed } = order;
  if (!begun) {
    const why = 'it is a part of a paired comparison, or its driver had started its bench-runners';
    throw refused('notAttachable', `run ${runId} can't be taken over: ${why}`);
  }
  const named = scenarioByName(order.scenario);
  if (!named) throw refused('unknownName', `run ${runId}: there is no scenario called ${order.scenario}`);
  const scenario = withModules(named, begun.modules);
  const options = validateOptions(scenario.options, order.options);
  const load = validateOptions(loadOptions, order.load);
  const problems: Problem[] = [];
  if (!options.ok) problems.push(...optionProblems(options.issues));
  if (!load.ok) problems.push(...optionProblems(load.issues));
  const thresholds = thresholdsOf(scenario, begun.thresholds, problems, begun.series);
  if (problems.length > 0 || !options.ok || !load.ok) throw new ProblemError(problems);
  const { targetMemoryBytes, targetProcesses, series } = begun;
  return {
    begun,
    scenario,
    options: options.values as Record<string, unknown>,
    load: load.values,
    fleet: { ...fleetOptions.parse({}), ...own, seed, series, targetMemoryBytes, targetProcesses },
    thresholds,
    target: targetOf(begun),
    ...(begun.modules.length > 0 && { modules: begun.modules }),
    sources: begun.sources,
  };
}

function refused(code: Problem['code'], message: string): ProblemError {
  return problemError(code, message);
}

function targetOf({ target: { name, protocol, isOurs, wsUrl, publishUrl }, sights }: RunPlan): PlannedTarget {
  const known = isOurs ? targetByName(name) : undefined;
  if (known) return { isOurs: true, name, protocol, target: known, options: {} };
  const { statsUrl, metricsUrl } = sights;
  const addresses = { wsUrl, publishUrl, statsUrl, metricsUrl };
  return { isOurs: false, name, protocol, protocolOptions: {}, publishHeaders: {}, ...addresses };
}
