import { readableCauses } from '../measure/causes.js';
import type { Declaration } from '../measure/declaration.js';
import { isLowerEnd, metricTitle, presentMetrics } from '../measure/metric-names.js';
import { spelled } from '../measure/samples/distribution.js';
import { sumCauses } from '../measure/samples/sample-sum.js';
import { targetCoreWaitMs } from '../results/over-time/readings.js';
import type { RunResult } from '../results/result.js';
import { causesInWords, countText } from '../units/text.js';
import { type Block, type DataTable, type Line, type Part, toned } from './document/document.js';
import { engineLines, tooFewInWords } from './words/notes.js';
import { footprintInWords, intervalInWords, milliseconds } from './words/values.js';
import {
  boundsInWords,
  figuresInBrief,
  leastInWords,
  loadedLoops,
  networkInWords,
  troublesOf,
  withBound,
} from './words/verdict-words.js';

export function runDetails(result: RunResult, scenario: Declaration): Part[] {
  const network = networkInWords(result);
  return [
    { folded: 'Distributions', blocks: distributions(result, scenario) },
    { blocks: intervals(result, scenario) },
    { blocks: network === '' ? [] : [`network  ${network}`] },
    { folded: 'Ledger', blocks: ledger(result, scenario) },
    { blocks: scenario.isCapacity ? footprint(result) : [] },
    { blocks: losses(result) },
    { folded: 'Rig', blocks: [...shards(result), ...coreTime(result)] },
  ];
}

const printed = ['p50', 'p90', 'p95', 'p99', 'p999', 'max'] as const;
type Printed = (typeof printed)[number];

/** Returns the percentiles of metrics with their bounds. Metrics without samples are left out. */
function tableOf(
  { metrics, verdict }: RunResult,
  scenario: Declaration,
  names: readonly string[],
  figures: readonly Printed[],
  hasSamples = false,
): DataTable[] {
  const rows = names.flatMap((name) => {
    const metric = metrics[name];
    if (!metric || metric.count === 0) return [];
    const cells = figures.map((figure) => {
      const us = metric[figure];
      return withBound(milliseconds(us), us === null ? undefined : leastInWords(verdict, name, figure));
    });
    return [[metricTitle(scenario, name), ...cells, ...(hasSamples ? [countText(metric.count)] : [])]];
  });
  const head = ['ms', ...figures.map(spelled), ...(hasSamples ? ['samples'] : [])];
  return rows.length > 0 ? [{ head, rows, ifNarrow: 'twoLines' }] : [];
}

export function headlineTable(result: RunResult, scenario: Declaration): Block[] {
  const names = [...new Set(scenario.headline.flatMap((column) => (column.kind === 'figure' ? [column.metric] : [])))];
  const [main = ''] = names;
  const ofMain = result.metrics[main] ? { [main]: result.metrics[main] } : {};
  const [tooFew = ''] = tooFewInWords(ofMain, scenario, ['p50', 'p95', 'p99']).split('; ');
  const tables = tableOf(result, scenario, names, figuresInBrief).map(underMain);
  return [...tables, ...(tooFew === '' ? [] : [toned.aside(tooFew)])];
}

/** Cuts the name of a row that begins with that of the row above, so that bounds fit beside it on 80 columns. */
function underMain(table: DataTable): DataTable {
  const above = (at: number): string => `${table.rows[at - 1]?.[0]}, `;
  const rows = table.rows.map(([name = '', ...cells], at) => [
    String(name).startsWith(above(at)) ? String(name).slice(above(at).length) : name,
    ...cells,
  ]);
  return { ...table, rows };
}

/** Returns every percentile of every metric, and why some have none. */
export function distributions(result: RunResult, scenario: Declaration): Block[] {
  const { metrics, verdict } = result;
  const names = presentMetrics(scenario, Object.keys(metrics)).filter((name) => !isLowerEnd(scenario, name));
  const table = tableOf(result, scenario, names, printed, true);
  if (table.length === 0) return [];
  const unfinished = names.flatMap((name) => {
    const longer = metrics[name]?.unfinished ?? 0;
    return longer > 0 ? [`–: or, for ${name}, it falls on ${countText(longer)} that did not come within the run`] : [];
  });
  const tooFew = tooFewInWords(metrics, scenario);
  const legend = [...(tooFew === '' ? [] : [tooFew]), ...unfinished, ...(verdict.bounds ? [boundsInWords] : [])];
  return [...table, ...legend.map(toned.aside)];
}

function intervals({ metrics }: RunResult, scenario: Declaration): string[] {
  const lines = scenario.headline.flatMap((column) => {
    if (column.kind !== 'figure') return [];
    const interval = intervalInWords(column, metrics);
    return interval === '' ? [] : [`${metricTitle(scenario, column.metric)} ${column.figure} ${interval}`];
  });
  const over = scenario.publishes ? 'broadcasts' : 'slices of time';
  return lines.length > 0 ? [`95 % interval of this part of this run, over ${over}, ms: ${lines.join(' · ')}`] : [];
}

/** Formats the ledger. It is empty if all shards are lost, because their counts are unknown, not zero. */
function ledger({ ledger: books, shards: parts }: RunResult, scenario: Declaration): Block[] {
  return parts.every(({ state }) => state === 'lost') ? [] : [{ facts: scenario.ledgerLines(books) }];
}

function footprint({ environment: { footprint: found } }: RunResult): string[] {
  if (!found) return [];
  return [`memory      ${footprintInWords(found)} (line through ${found.points} readings of the ramp)`];
}

/** Names some occasions of causes. Other occasions have their own line in the ledger. */
const occasions = { connect: 'not connected', close: 'cut off', publish: 'not acked' };

function losses({ shards: parts }: RunResult): Block[] {
  const all = sumCauses(parts.map(({ result }) => result?.causes ?? {}));
  const facts = Object.entries(occasions).flatMap(([occasion, title]): [string, Line][] => {
    const causes = readableCauses(occasion, all[occasion] ?? {});
    return Object.keys(causes).length === 0 ? [] : [[title, causesInWords(causes)]];
  });
  return facts.length > 0 ? [{ facts, width: 15 }] : [];
}

function shards({ shards: parts, environment }: RunResult): Line[] {
  const troubled = parts.flatMap((part) =>
    troublesOf(part, environment).map((text) =>
      toned[part.state === 'complete' ? 'aside' : 'bad'](`${part.url}: ${text}`),
    ),
  );
  const loops = parts.flatMap(({ result }) =>
    (result ? loadedLoops(result) : []).map((worker) => {
      const name = worker.role === 'publisher' ? 'publisher' : `worker ${worker.index}`;
      const busy = `busy ${(worker.utilization * 100).toFixed(0)} %`;
      const delay = `loop delay p99 ${worker.loopDelayP99Ms.toFixed(1)} ms`;
      const pause = `longest GC pause ${worker.gcMaxMs.toFixed(1)} ms`;
      const waited = worker.runQueueWaitMs ?? 0;
      const core = waited > 0 ? `, waited ${(waited / 1000).toFixed(2)} s for a core` : '';
      return `shard ${result?.slice.index} ${name}: ${busy}, ${delay}, ${pause}${core}`;
    }),
  );
  return [...troubled, ...[...loops, ...engineLines({ shards: parts })].map(toned.aside)];
}

/** Formats the core time that the target and the shards did not get. Empty if no system counted it. */
function coreTime({ shards: parts, environment }: RunResult): Line[] {
  const waitedMs = targetCoreWaitMs(environment);
  const target = waitedMs === null ? [] : [`target: its threads waited ${(waitedMs / 1000).toFixed(2)} s for a core`];
  const stolen = parts.flatMap(({ result }) => {
    const share = result?.rig.shard.stolenShare;
    return share === undefined
      ? []
      : [`shard ${result?.slice.index}: the hypervisor took ${(share * 100).toFixed(0)} % of the CPU`];
  });
  return [...target, ...stolen].map(toned.aside);
}
