import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ExitName } from '../../contract/exit-codes.js';
import { ProblemError } from '../../contract/problems.js';
import { thisTool } from '../../contract/version.js';
import { type Cell, type ExperimentContext, rowsOfCells } from '../../experiment/cells.js';
import { compare, comparisonExit, type Design, keepComparison } from '../../experiment/compare.js';
import type { ExperimentPlace } from '../../experiment/journal.js';
import { expectedMs } from '../../experiment/paired/start-size.js';
import { publishWayOf } from '../../measure/declaration.js';
import { roundMs } from '../../measure/paired/slots.js';
import { minStarts } from '../../measure/paired/starts.js';
import { readMachine } from '../../measure/rig/machine.js';
import type { Comparison } from '../../results/comparison.js';
import { experimentFile } from '../../results/journal.js';
import type { Paired } from '../../results/paired.js';
import type { PublishedTable, ReproducedTarget, Reproduction } from '../../results/published.js';
import type { Plan } from '../../run/plan/plan.js';
import { type Carrier, carryProblems } from '../../run/plan/preflight.js';
import type { PlannedTarget } from '../../run/server/planned.js';
import type { ShardClient } from '../../run/shards/shard-client.js';
import { footprintOf } from '../../targets/target.js';
import { duration } from '../../units/unit.js';
import type { MakingContext } from '../command.js';
import { verdictsOf } from '../diff/diff.js';
import { publishedPairs, reproducedFigures } from './figures.js';
import { fittingPlan, type ReproductionPlan } from './plan.js';
import { contenderNames, lackIn } from './published.js';

/** Holds one table to run: its targets, and the work that makes and keeps its reproduction. */
export interface Work {
  table: PublishedTable;
  targets: PlannedTarget[];
  /** Left out for a search, which checks for itself what the shards can carry. */
  planned?: ReproductionPlan;
  run(
    context: MakingContext & { shards: ShardClient[] },
    place: ExperimentPlace & { budgetMs?: number | undefined },
  ): Promise<{ reproduction: Reproduction; directory: string; exit: ExitName }>;
}

/** Returns the work of a table whose targets run interleaved. */
export function workOf(planned: ReproductionPlan, isStrict: boolean): Work {
  return {
    table: planned.table,
    targets: planned.contenders.map(({ plan }) => plan.target),
    planned,
    async run(context, { budgetMs, ...place }) {
      const carrier = await carrierOf(context);
      const design = designOf(planned, carrier, budgetMs);
      const { comparison, directory } = await compare(cellsOf(planned), design, context, place);
      const first = reproductionOf(planned, comparison, await lacksIn(planned, comparison));
      const leftMs = budgetMs && Math.max(0, budgetMs - (comparison.paired?.tookMs ?? 0));
      const again = { design: designOf(planned, carrier, leftMs), ...placeIn(join(directory, 'second')) };
      const published = { ...first, pairs: await withSecond(planned, first, again, context) };
      await keepComparison(directory, { ...comparison, published }, context);
      const exit = comparisonExit(comparison, planned.scenario, isStrict);
      return { reproduction: published, directory, exit };
    },
  };
}

/** Returns the contenders. The first one has a twin, which costs least for the lightest. */
function cellsOf({ contenders }: ReproductionPlan): Cell[] {
  // A footprint of 0 is unknown.
  const bytesOf = ({ plan }: Cell): number => footprintOf(plan.target.name).connection || Number.POSITIVE_INFINITY;
  const cells = contenders.map(({ plan, name }): Cell => ({ plan, label: name }));
  return cells.toSorted((one, other) => (bytesOf(one) < bytesOf(other) ? -1 : 1));
}

/** A table whose experiment was begun goes on, or is shown again. */
export function placeIn(directory: string): ExperimentPlace {
  return existsSync(join(directory, experimentFile)) ? { resume: directory } : { directory };
}

/** Returns all pairs. Those that are reversed in turn are measured a second time, with the other kind of clients. */
async function withSecond(
  planned: ReproductionPlan,
  { pairs }: Reproduction,
  { design, ...place }: ExperimentPlace & { design: Design },
  context: ExperimentContext,
): Promise<Reproduction['pairs']> {
  const reversed = pairs.flatMap(({ holds, a, b }) => (holds === 'no' ? [a, b] : []));
  const cells = cellsOf(planned).flatMap(({ plan, label }): Cell[] => {
    const client = plan.load.client === 'wire' ? 'library' : 'wire';
    return reversed.includes(label) ? [{ label, plan: { ...plan, load: { ...plan.load, client } } }] : [];
  });
  if (!('slots' in design) || cells.length === 0 || context.interrupt.aborted) return pairs;
  const found = await compare(cells, design, context, place).then(
    ({ comparison }) => ({ pairs: reproductionOf(planned, comparison).pairs, why: '' }),
    (error: unknown) => {
      if (error instanceof ProblemError) return { pairs: [], why: error.message };
      throw error;
    },
  );
  return pairs.map((pair) => {
    if (pair.holds !== 'no') return pair;
    const same = found.pairs.find(({ metric, a, b }) => metric === pair.metric && a === pair.a && b === pair.b);
    return { ...pair, second: { holds: same?.holds ?? 'open', why: found.why } };
  });
}

/** Returns the paired design, if the scenario has rounds and the machines carry all at once; otherwise whole runs. */
function designOf(
  { scenario: { slots }, contenders, repeat }: ReproductionPlan,
  carrier: Carrier,
  budgetMs?: number,
): Design {
  const [{ plan }] = contenders;
  const slotsMs = Array.from({ length: contenders.length + 1 }, () => 1);
  const atOnce: Plan = { ...plan, slots: { group: '00000000', seed: 0, place: 0, rounds: 1, slotsMs } };
  const isRuns =
    !slots ||
    contenders.length < 2 ||
    (slots.contradictions?.(plan.options) ?? []).length > 0 ||
    carryProblems(atOnce, carrier).length > 0;
  if (isRuns) return { repeat };
  const { broadcasts = usualRounds } = plan.options;
  const rounds = Math.min(mostRounds, Math.max(fewestRounds, Number(broadcasts)));
  return { slots, paired: { starts: Math.max(minStarts, repeat), rounds, equalWithin: 0.05, budgetMs } };
}

/** Limits of the rounds in a start. They are as many as the broadcasts of the source. */
const [fewestRounds, usualRounds, mostRounds] = [12, 60, 200];

/** Time that the processes and clients of a whole run take besides its load, in milliseconds. */
const besideMs = 4000;

/** Resolves with about how many milliseconds a table takes, of the contenders that can start. */
export async function expectedLength(planned: ReproductionPlan, carrier: Carrier): Promise<number> {
  const rows = await rowsOfCells(cellsOf(planned));
  const ready = rows.filter(({ state }) => state === 'ran').length;
  const [{ plan }] = planned.contenders;
  const { clients, durationMs } = plan.scenario.demand(plan.options, plan.load);
  const design = designOf(planned, carrier);
  if (!('slots' in design)) return ready * planned.repeat * (durationMs + besideMs);
  const leastSlotMs = design.slots.leastSlotMs?.(plan.options) ?? 0;
  return expectedMs(ready + 1, { clients, leastSlotMs }, design.paired);
}

/** Resolves with what the shards and this machine carry. */
export async function carrierOf({
  shards,
  childDescriptors,
}: Pick<ExperimentContext, 'shards' | 'childDescriptors'>): Promise<Carrier> {
  const infos = shards.map(async (shard) => ({ info: await shard.info(), url: shard.url }));
  return { shards: await Promise.all(infos), childDescriptors };
}

/** Throws `ProblemError` for plans that the shards can't carry. Each hint names the largest scale that they can. */
export function refuseUncarried(all: readonly ReproductionPlan[], carrier: Carrier): void {
  const problems = all.flatMap(({ contenders: [{ plan }], table, at }) => {
    const found = carryProblems(plan, carrier);
    const fits = found.length > 0 ? fittingPlan(at, carrier) : undefined;
    const more = fits ? ` Or take less: --scale ${fits.scale} is the largest that fits here.` : '';
    return found.map((each) => ({ ...each, message: `${table.id}: ${each.message}`, hint: `${each.hint}${more}` }));
  });
  if (problems.length > 0) throw new ProblemError(problems);
}

async function lacksIn({ contenders }: ReproductionPlan, { rows }: Comparison): Promise<ReadonlyMap<string, string>> {
  const gone = rows.flatMap(({ target, state }) => (state === 'notAvailable' ? [target] : []));
  const found = contenders.map(async ({ name, plan: { target } }): Promise<[string, string][]> => {
    if (!gone.includes(name) || !target.isOurs) return [];
    return [[name, lackIn(await target.target.availability())]];
  });
  return new Map((await Promise.all(found)).flat());
}

/** Returns a published table beside its comparison. `lacks` names the needs of contenders that can’t start. */
export function reproductionOf(
  planned: ReproductionPlan,
  comparison: Comparison,
  lacks: ReadonlyMap<string, string> = new Map(),
): Reproduction {
  const { table, scenario, size, ours, contenders } = planned;
  const { paired } = comparison;
  const rows = reproducedFigures(table, scenario, comparison);
  return {
    tool: thisTool,
    startedAt: comparison.startedAt,
    ...size,
    repeat: comparison.repeat,
    ...(paired && { isInTurn: true as const }),
    table,
    changes: paired ? changesInTurn(planned, paired) : planned.changes,
    ours,
    found: [],
    rig: rigOf(comparison, contenders[0].plan),
    targets: contenderNames(table).map((name) => targetOf(name, planned, comparison, lacks)),
    rows: rows.map(({ row }) => row),
    pairs: publishedPairs(rows, scenario, comparison),
  };
}

/** Returns the changes with the options of whole runs that the rounds of contenders in turn replace. */
function changesInTurn(
  { table: { parameters }, changes }: ReproductionPlan,
  { slotsMs, rounds, starts }: Paired,
): Reproduction['changes'] {
  const here: Record<string, string> = {
    rate: `one a round, every ${duration.print(Math.round(roundMs(slotsMs)))}`,
    broadcasts: `${starts.length} × ${rounds}`,
  };
  const replaced = Object.entries(here).flatMap(([option, text]) =>
    option in parameters ? [{ option, published: String(parameters[option]), here: text }] : [],
  );
  return [...changes.filter(({ option }) => !(option in here)), ...replaced];
}

function rigOf({ rows }: Comparison, plan: Plan): Reproduction['rig'] {
  const runs = rows.flatMap((row) => row.runs.map(({ result }) => result));
  const parts = runs[0]?.shards.flatMap((part) => part.result ?? []) ?? [];
  return {
    machine: parts[0]?.machine ?? readMachine(),
    client: plan.load.client,
    workersPerShard: parts[0]?.workers ?? plan.load.workers ?? 1,
    shards: parts.length > 0 ? parts.length : plan.fleet.localShards,
    hasHistograms: runs.some(({ samples }) => Object.values(samples).some(({ kind }) => kind === 'histogram')),
    publisher: publisherOf(plan),
  };
}

const scheduled = ['publishers', 'broadcasts', 'calmBroadcasts', 'ratePerSecond', 'wordsPerMinute'];

/** Says how a plan publishes, and what the next publish waits for. */
export function publisherOf({ scenario, options }: Pick<Plan, 'scenario' | 'options'>): string {
  const who = publishWayOf(scenario, options) === 'http' ? 'over HTTP' : 'clients over WebSocket';
  if (typeof options.concurrent === 'number')
    return `${who}, a closed loop of ${options.concurrent}: the next when one is answered`;
  if (options.loop === 'closed') return `${who}, each in a closed loop: the next when one is answered`;
  if (scheduled.some((key) => key in options)) return `${who}, on an open schedule, which a slow answer does not delay`;
  return 'nothing is sent but the probes that prove the clients';
}

function targetOf(
  target: string,
  { contenders, absent }: ReproductionPlan,
  { rows }: Comparison,
  lacks: ReadonlyMap<string, string>,
): ReproducedTarget {
  const row = rows.find((each) => each.target === target);
  const results = row?.runs.map(({ result }) => result) ?? [];
  const verdicts = verdictsOf(results);
  if (!row) {
    const why = absent.find(({ name }) => name === target)?.why ?? 'it was not run';
    return { target, state: 'elsewhere', why, by: '', versions: {}, verdicts, evidence: [] };
  }
  const by = contenders.find(({ name }) => name === target)?.by ?? '';
  // The first evidence of each rule stands for all.
  const all = results.flatMap(({ verdict }) => verdict.evidence);
  const first = new Map(all.toReversed().map(({ rule, text }) => [rule, `${rule}: ${text}`]));
  const evidence = [...new Set(all.map(({ rule }) => first.get(rule)!))];
  const versions = results[0]?.target.versions ?? {};
  const why = row.state === 'notAvailable' ? (lacks.get(target) ?? row.why) : row.why;
  return { target, state: row.state, why, by, versions, verdicts, evidence };
}
