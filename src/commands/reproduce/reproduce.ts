import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type Problem, ProblemError } from '../../contract/problems.js';
import { thisTool } from '../../contract/version.js';
import { readMachine } from '../../measure/rig/machine.js';
import { share } from '../../measure/share.js';
import type { Comparison } from '../../results/comparison.js';
import { keepDocument, keeping } from '../../results/keep.js';
import type { PublishedTable } from '../../results/published.js';
import { resultVersion } from '../../results/result.js';
import { defaultWorkers, publishWayOf } from '../../run/catalog.js';
import type { Plan } from '../../run/plan/plan.js';
import { type Carrier, carryProblems } from '../../run/plan/preflight.js';
import { type CompareContext, compare } from '../compare/compare.js';
import type { ReproductionPlan } from './plan.js';
import { pairsOf, rowsOf } from './reproduced.js';
import { type ReproducedTarget, type Reproduction, reproductionFile } from './reproduction.js';
import { fittingScale } from './scale.js';

/**
 * Runs the shape of a published table, its targets interleaved, and keeps what came out beside what was published. Throws `ProblemError` before any
 * load where this machine does not carry it, with the largest scale that it does.
 */
export async function reproduce(
  planned: ReproductionPlan,
  planAt: PlanAt,
  context: CompareContext,
): Promise<{ reproduction: Reproduction; comparison: Comparison; directory: string }> {
  await refuseUncarried([planned], planAt, context);
  const entrants = planned.plans.map((plan) => ({ plan, label: plan.target.name }));
  const { comparison, directory } = await compare(entrants, planned.repeat, context);
  const reproduction = reproductionOf(planned, comparison);
  await keeping(directory, context.notKept, () => keepDocument(join(directory, reproductionFile), reproduction));
  return { reproduction, comparison, directory };
}

/** Plans a table at another scale. */
export type PlanAt = (table: PublishedTable, scale: number) => ReproductionPlan;

/** Throws `ProblemError` with all that the shards do not carry of several reproductions, and of each the largest scale that they do. */
export async function refuseUncarried(
  all: readonly ReproductionPlan[],
  planAt: PlanAt,
  { shards, childDescriptors }: Pick<CompareContext, 'shards' | 'childDescriptors'>,
): Promise<void> {
  const told = await Promise.all(shards.map(async (shard) => ({ info: await shard.info(), url: shard.url })));
  const carrier = { shards: told, childDescriptors };
  const problems = all.flatMap((planned) => uncarried(planned, planAt, carrier));
  if (problems.length > 0) throw new ProblemError(problems);
}

function uncarried({ plans, table }: ReproductionPlan, planAt: PlanAt, carrier: Carrier): Problem[] {
  const [plan] = plans;
  const problems = plan ? carryProblems(plan, carrier) : [];
  if (problems.length === 0) return [];
  const fits = fittingScale((scale) => planOrNone(() => planAt(table, scale)), carrier);
  const more = fits === undefined ? '' : ` Or take less: --scale ${fits} is the largest that fits here.`;
  return problems.map((each) => ({ ...each, message: `${table.id}: ${each.message}`, hint: `${each.hint}${more}` }));
}

/** So small a scale can leave fewer clients than the scenario takes. */
function planOrNone(plan: () => ReproductionPlan): Plan | undefined {
  try {
    return plan().plans[0];
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}

/** What a comparison says of the table that it was made for. */
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
    rig: rigOf(comparison, plans),
    targets: targetsOf(planned, comparison),
    rows: rows.map(({ row }) => row),
    pairs: pairsOf(rows),
  };
}

/** The rig of the first run; where none was made, the one that was meant. */
function rigOf({ rows }: Comparison, plans: readonly Plan[]): Reproduction['rig'] {
  const [plan] = plans;
  if (!plan) throw new Error('a reproduction has at least one target');
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

/** Who sends in a plan's scenario, and what the next send waits for. */
export function publisherOf({ scenario, options }: Pick<Plan, 'scenario' | 'options'>): string {
  const who = publishWayOf(scenario, options) === 'http' ? 'over HTTP' : 'clients over WebSocket';
  if (typeof options.concurrent === 'number')
    return `${who}, a closed loop of ${options.concurrent}: the next when one is answered`;
  if (options.loop === 'closed') return `${who}, each in a closed loop: the next when one is answered`;
  if ('publishers' in options || 'broadcasts' in options || 'durationMs' in options || 'calmBroadcasts' in options)
    return `${who}, on an open schedule, which a slow answer does not delay`;
  return 'nothing is sent but what proves the clients';
}

function targetsOf({ table }: ReproductionPlan, { rows }: Comparison): ReproducedTarget[] {
  const names = [...new Set(table.figures.map(({ target }) => target))];
  return names.map((target): ReproducedTarget => {
    const row = rows.find((each) => each.target === target);
    const none = { clean: 0, limited: 0, void: 0 };
    if (!row) {
      const why = table.elsewhere[target] ?? 'no target of that name is here';
      return { target, state: 'elsewhere', why, versions: {}, verdicts: none, evidence: [] };
    }
    const verdicts = { ...none };
    const said = new Map<string, string>();
    for (const { result } of row.runs) {
      verdicts[result.verdict.rig] += 1;
      for (const { rule, text } of result.verdict.evidence) if (!said.has(rule)) said.set(rule, `${rule}: ${text}`);
    }
    const versions = row.runs[0]?.result.target.versions ?? {};
    return { target, state: row.state, why: row.why, versions, verdicts, evidence: [...said.values()] };
  });
}
