import { availableParallelism } from 'node:os';
import { ProblemError } from '../../contract/problems.js';
import { thisTool } from '../../contract/version.js';
import { readMachine } from '../../measure/rig/machine.js';
import { share } from '../../measure/share.js';
import type { Comparison } from '../../results/comparison.js';
import type { PublishedTable } from '../../results/published.js';
import { resultVersion } from '../../results/result.js';
import { ResultStore } from '../../results/store.js';
import { defaultWorkers, publishWayOf } from '../../run/catalog.js';
import type { Plan } from '../../run/plan/plan.js';
import { carryProblems } from '../../run/plan/preflight.js';
import { type CompareContext, compare } from '../compare/compare.js';
import { verdictsOf } from '../diff/diff.js';
import { fittingPlan, type ReproductionPlan, targetNames } from './plan.js';
import { pairsOf, rowsOf } from './reproduced.js';
import { type ReproducedTarget, type Reproduction, reproductionFile } from './reproduction.js';

/** Runs a published table, its targets interleaved, and keeps the result. Throws like `refuseUncarried`. */
export async function reproduce(
  planned: ReproductionPlan,
  context: CompareContext,
): Promise<{ reproduction: Reproduction; comparison: Comparison; directory: string }> {
  await refuseUncarried([planned], context);
  const entrants = planned.plans.map((plan) => ({ plan, label: plan.target.name }));
  const { comparison, directory } = await compare(entrants, planned.repeat, context);
  const reproduction = reproductionOf(planned, comparison);
  await new ResultStore(context.notKept).keep(directory, { [reproductionFile]: reproduction });
  return { reproduction, comparison, directory };
}

/** Throws `ProblemError` if the shards can't carry a plan. Each hint names the largest scale that they can. */
export async function refuseUncarried(
  all: readonly ReproductionPlan[],
  { shards, childDescriptors }: Pick<CompareContext, 'shards' | 'childDescriptors'>,
): Promise<void> {
  const infos = await Promise.all(shards.map(async (shard) => ({ info: await shard.info(), url: shard.url })));
  const carrier = { shards: infos, childDescriptors };
  const problems = all.flatMap(({ plans: [plan], table, at }) => {
    const found = carryProblems(plan, carrier);
    const fits = found.length > 0 ? fittingPlan(at, carrier) : undefined;
    const more = fits ? ` Or take less: --scale ${fits.scale} is the largest that fits here.` : '';
    return found.map((each) => ({ ...each, message: `${table.id}: ${each.message}`, hint: `${each.hint}${more}` }));
  });
  if (problems.length > 0) throw new ProblemError(problems);
}

/** A published table beside the comparison that was made of it. */
export function reproductionOf(planned: ReproductionPlan, comparison: Comparison): Reproduction {
  const { table, scenario, scale, changes, ours, plans } = planned;
  const rows = rowsOf(table, scenario, comparison);
  return {
    schema: resultVersion,
    tool: thisTool,
    startedAt: comparison.startedAt,
    scale,
    repeat: comparison.repeat,
    table,
    changes,
    ours,
    rig: rigOf(comparison, plans[0]),
    targets: targetNames(table).map((target) => targetOf(target, table, comparison)),
    rows: rows.map(({ row }) => row),
    pairs: pairsOf(rows),
  };
}

function rigOf({ rows }: Comparison, plan: Plan): Reproduction['rig'] {
  const runs = rows.flatMap((row) => row.runs.map(({ result }) => result));
  const parts = runs[0]?.shards.flatMap((part) => part.result ?? []) ?? [];
  const clients = plan.scenario.demand(plan.options, plan.load).clients;
  const meant = plan.load.workers ?? defaultWorkers(share(clients, 0, plan.fleet.localShards), availableParallelism());
  return {
    machine: parts[0]?.machine ?? readMachine(),
    client: plan.load.client,
    workersPerShard: parts[0]?.workers ?? meant,
    shards: parts.length > 0 ? parts.length : plan.fleet.localShards,
    hasHistograms: runs.some(({ samples }) => Object.values(samples).some(({ kind }) => kind === 'histogram')),
    publisher: publisherOf(plan),
  };
}

/** Who publishes in a plan, and what the next publish waits for. */
export function publisherOf({ scenario, options }: Pick<Plan, 'scenario' | 'options'>): string {
  const who = publishWayOf(scenario, options) === 'http' ? 'over HTTP' : 'clients over WebSocket';
  if (typeof options.concurrent === 'number')
    return `${who}, a closed loop of ${options.concurrent}: the next when one is answered`;
  if (options.loop === 'closed') return `${who}, each in a closed loop: the next when one is answered`;
  if ('publishers' in options || 'broadcasts' in options || 'durationMs' in options || 'calmBroadcasts' in options)
    return `${who}, on an open schedule, which a slow answer does not delay`;
  return 'nothing is sent but the probes that prove the clients';
}

function targetOf(target: string, { elsewhere }: PublishedTable, { rows }: Comparison): ReproducedTarget {
  const row = rows.find((each) => each.target === target);
  const results = row?.runs.map(({ result }) => result) ?? [];
  const verdicts = verdictsOf(results);
  if (!row) {
    const why = elsewhere[target] ?? 'no target of that name is here';
    return { target, state: 'elsewhere', why, versions: {}, verdicts, evidence: [] };
  }
  const byRule = new Map<string, string>();
  for (const { rule, text } of results.flatMap(({ verdict }) => verdict.evidence))
    if (!byRule.has(rule)) byRule.set(rule, `${rule}: ${text}`);
  const versions = results[0]?.target.versions ?? {};
  return { target, state: row.state, why: row.why, versions, verdicts, evidence: [...byRule.values()] };
}
