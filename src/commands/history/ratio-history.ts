import { thisTool } from '../../contract/version.js';
import { pairOf } from '../../measure/statement.js';
import type { Comparison } from '../../results/comparison.js';
import { type RunResult, resultVersion } from '../../results/result.js';
import { scenarios } from '../../run/catalog.js';
import { differences } from '../diff/differences.js';
import type { History, HistoryLine, HistoryPoint } from './history.js';

/** How many times as much target `a` takes as target `b`: `head/base delivery.p50`. */
export interface AskedRatio {
  a: string;
  b: string;
  of: string;
}

export interface KeptComparison {
  directory: string;
  comparison: Comparison;
}

/** The figures of which paired comparisons have ratios, such as `delivery.p50` and `delivery.last`. */
export const ratioFigures = [
  ...new Set(scenarios.flatMap(({ slots }) => (slots ? [`${slots.metric}.p50`, `${slots.metric}.last`] : []))),
];

/** The ratio that a text names; undefined for any other text. */
export function askedRatio(text: string): AskedRatio | undefined {
  const [, a, b, of] = /^([^\s/]+)\s*\/\s*([^\s/]+)\s+(\S+)$/.exec(text.trim()) ?? [];
  return a !== undefined && b !== undefined && of !== undefined && ratioFigures.includes(of) ? { a, b, of } : undefined;
}

/** A ratio over kept paired comparisons that have both targets: a line for each shape, comparisons by time. Pure. */
export function ratioHistoryOf(
  metric: string,
  asked: AskedRatio,
  kept: readonly KeptComparison[],
  unreadable: History['unreadable'],
): History {
  const lines = new Map<string, HistoryLine>();
  const before = new Map<HistoryLine, readonly RunResult[]>();
  const byTime = kept.toSorted((one, other) => (one.comparison.startedAt < other.comparison.startedAt ? -1 : 1));
  for (const { directory, comparison } of byTime) {
    const runs = runsOf(comparison, asked);
    const point = pointOf(directory, comparison, asked);
    const [first] = runs;
    if (!first || !point) continue;
    const { scenario, fingerprint } = comparison;
    const key = JSON.stringify([scenario, fingerprint]);
    const line = lines.get(key) ?? {
      ...{ scenario, target: `${asked.a} to ${asked.b}`, fingerprint, options: first.job.options },
      ...{ client: first.target.client, kind: 'ratio', unit: 'ratio', better: 'neither', points: [] },
    };
    line.points.push({ ...point, changed: changedSince(before.get(line) ?? [], runs) });
    lines.set(key, line);
    before.set(line, runs);
  }
  const sorted = [...lines].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, line]) => line);
  return { schema: resultVersion, tool: thisTool, metric, lines: sorted, without: {}, unreadable: [...unreadable] };
}

/** The first run of either target; empty if one has none. */
function runsOf({ rows }: Comparison, { a, b }: AskedRatio): RunResult[] {
  const firsts = [a, b].flatMap((name) => rows.find(({ target }) => target === name)?.runs[0]?.result ?? []);
  return firsts.length === 2 ? firsts : [];
}

/** Undefined of a comparison that compares other figures. */
function pointOf(directory: string, comparison: Comparison, { a, b, of }: AskedRatio): HistoryPoint | undefined {
  const { paired, startedAt, scenario: name } = comparison;
  const metric = scenarios.find((scenario) => scenario.name === name)?.slots?.metric;
  if (!paired || metric !== of.split('.')[0]) return undefined;
  const pair = pairOf(of.endsWith('.p50') ? paired.pairs : paired.lastPairs, a, b);
  // Without a control that is like its twin, no order is claimed.
  const rig = paired.withheld.length === 0 ? 'clean' : 'limited';
  return { directory, startedAt, value: pair?.ratio ?? null, interval: pair?.interval ?? null, rig, changed: [] };
}

/** What else differs for either target, each text once. */
function changedSince(before: readonly RunResult[], runs: readonly RunResult[]): string[] {
  const changes = runs.flatMap((run, place) => {
    const earlier = before[place];
    return earlier ? differences([earlier], [run]).map((text) => ({ text, target: run.target.name })) : [];
  });
  const texts = [...new Set(changes.map(({ text }) => text))];
  return texts.map((text) => {
    const of = changes.filter((each) => each.text === text);
    return of.length === runs.length ? text : `${of[0]?.target} ${text}`;
  });
}
