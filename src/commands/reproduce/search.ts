import { problemError } from '../../contract/problems.js';
import { thisTool } from '../../contract/version.js';
import { readMachine } from '../../measure/rig/machine.js';
import { lowerMedian } from '../../measure/stats/estimate.js';
import { statementWords } from '../../render/words/statement.js';
import { experimentFile } from '../../results/journal.js';
import {
  type PublishedTable,
  publishedUnits,
  type ReproducedFigure,
  type Reproduction,
} from '../../results/published.js';
import { type Knee, type KneeRow, kneeEnds } from '../../results/search.js';
import { ResultStore } from '../../results/store.js';
import type { GivenForRun } from '../../run/plan/plan.js';
import { plural } from '../../units/text.js';
import { count } from '../../units/unit.js';
import { findKnees } from '../search/knee/command.js';
import { type KneePlan, planKnee, scenario } from '../search/knee/plan.js';
import { type Size, variablesBeside } from './plan.js';
import { contenderNames, contendersOf } from './published.js';
import { publisherOf, type Work } from './reproduce.js';

/** Describes how a published search for the rate at which one server jams runs here. */
export interface SearchPlan {
  table: PublishedTable;
  size: Size;
  kneePlan: KneePlan;
  changes: Reproduction['changes'];
}

/** Plans a table of a search at a scale of its clients. Throws `ProblemError`. */
export function planSearch(table: PublishedTable, size: Size, given: GivenForRun): SearchPlan {
  const [contender] = contendersOf(table).contenders;
  if (!contender) {
    const message = `${table.id} is about ${contenderNames(table).join(', ')}: no targets here`;
    throw problemError('unknownName', message);
  }
  const { clients: published, ...parameters } = table.parameters;
  const clients = String(published).split(',');
  const scaledCount = (text: string): string => String(Math.max(1, Math.round((count.parse(text) ?? 1) * size.scale)));
  const here = [...new Set(clients.map(scaledCount))];
  const env = variablesBeside(scenario.options, given);
  const flags = { ...given.flags, ...parameters, target: contender.target.name, clients: here };
  const [before, after] = [clients.join(', '), here.join(', ')];
  return {
    table,
    size,
    kneePlan: planKnee({ flags, env, file: {} }),
    changes: before === after ? [] : [{ option: 'clients', published: before, here: after }],
  };
}

/** Returns the work of a published search, which takes as long as its server makes it. */
export function workOfSearch(planned: SearchPlan): Work {
  const { target } = planned.kneePlan.plan;
  return {
    table: planned.table,
    targets: [target],
    async run(context, { budgetMs: _, ...place }) {
      const { knee, directory, exit } = await findKnees(
        { ...planned.kneePlan, ...place },
        {
          ...context,
          begins: (label) => context.label(`${target.name}  ${label}`),
          tried: (label, { holds }) => context.note(`${label}: ${statementWords.keepsUp[holds]}`),
        },
      );
      const published = reproductionOfSearch(planned, knee);
      await new ResultStore(context.notKept).keep(directory, { [experimentFile]: { ...knee, published } });
      return { reproduction: published, directory, exit };
    },
  };
}

/** Returns a published search beside its result here. */
export function reproductionOfSearch({ table, size, kneePlan, changes }: SearchPlan, knee: Knee): Reproduction {
  const { plan, shape } = kneePlan;
  return {
    tool: thisTool,
    startedAt: knee.startedAt,
    ...size,
    repeat: knee.repeat,
    table,
    changes,
    ours: '',
    found: knee.rows.map((row) => `${plural(row.clients, 'subscriber')}: ${endInWords(row)}`),
    rig: {
      machine: knee.environment.shards[0] ?? readMachine(),
      client: knee.client,
      workersPerShard: plan.load.workers ?? 1,
      shards: Math.max(1, knee.environment.shards.length),
      hasHistograms: false,
      // Each run has a rate.
      publisher: publisherOf({ ...plan, options: { ...plan.options, ratePerSecond: shape.minRate } }),
    },
    targets: contenderNames(table).map((target) => targetOf(target, knee)),
    rows: table.figures.map((figure) => rowOf(figure, knee)),
    pairs: [],
  };
}

function endInWords({ clients, messagesPerSecond, keptUpTo, end }: KneeRow): string {
  if (messagesPerSecond !== null) return `it jams at ${messages(messagesPerSecond)}`;
  return keptUpTo === null ? kneeEnds[end] : `${kneeEnds[end]}; it carried ${messages(keptUpTo * clients)}`;
}

function messages(perSecond: number): string {
  return `${Math.round(perSecond).toLocaleString('en-US')} messages a second`;
}

function targetOf(target: string, { target: found, rows, endedBecause }: Knee): Reproduction['targets'][number] {
  const verdicts = { clean: 0, limited: 0, void: 0 };
  for (const { rig } of rows.flatMap(({ tries }) => tries)) verdicts[rig] += 1;
  const evidence = endedBecause === '' ? [] : [endedBecause];
  const by = found.name === target ? '' : found.name;
  return { target, state: 'ran', why: '', by, versions: found.versions, verdicts, evidence };
}

function rowOf({ id, metric, unit, value }: PublishedTable['figures'][number], { rows }: Knee): ReproducedFigure {
  const without = (why: string): ReproducedFigure => ({ figure: id, measured: null, why, ratio: null });
  if (metric !== 'deliveriesPerSecond') return without('no such figure here');
  const found = rows.flatMap(({ messagesPerSecond }) => messagesPerSecond ?? []);
  const carried = ({ keptUpTo, clients }: KneeRow): number => (keptUpTo ?? 0) * clients;
  const [most] = rows.toSorted((one, other) => carried(other) - carried(one));
  if (found.length === 0) return without(most ? endInWords(most) : 'not run');
  const values = found.map((each) => each / publishedUnits[unit]);
  const median = lowerMedian(values);
  const measured = { median, least: Math.min(...values), most: Math.max(...values), interval: null };
  const runs = rows.reduce((sum, { tries }) => sum + tries.length, 0);
  return { figure: id, measured: { ...measured, runs }, why: '', ratio: value > 0 ? median / value : null };
}
