import type { DiffInput } from '../src/commands/diff/diff.js';
import { assemble } from '../src/experiment/compare.js';
import type { Declaration } from '../src/measure/declaration.js';
import { comparisonDocument } from '../src/render/comparison.js';
import type { Document } from '../src/render/document/document.js';
import { runDocument } from '../src/render/run.js';
import { type Comparison, type ComparisonRow, isComparison, type RunOrComparison } from '../src/results/comparison.js';
import type { RunResult, Verdict } from '../src/results/result.js';
import { goldenResult } from './golden-result.js';
import { scenarioCalled } from './scenarios.js';

export const latency = scenarioCalled('latency');

export const limited: Verdict = {
  rig: 'limited',
  evidence: [{ rule: 'schedule-missed', level: 'limited', text: 'achieved 7.00/s | 10.00/s offered' }],
};

export const voided: Verdict = {
  rig: 'void',
  evidence: [{ rule: 'cut-short', level: 'void', text: 'the run was cut short' }],
};

/** Thresholds of which one was kept, one broken, and one has no figure. */
export const goldenThresholds: RunResult['thresholds'] = [
  { text: 'delivery.p99<200ms', kind: 'figure', value: 5003, isKept: true },
  { text: 'lost==0', kind: 'count', value: 7, isKept: false },
  { text: 'connect.p99<1s', kind: 'figure', value: null, isKept: false },
];

/** A run in which every time is `times` the golden one, with intervals that reach 4 % to either side. */
export function goldenRun(target: string, times: number, more: Partial<RunResult> = {}): RunResult {
  const golden = goldenResult();
  const metrics = Object.fromEntries(
    Object.entries(golden.metrics).map(([name, metric]) => {
      const { unit, count, unfinished: _none, independent, intervals: _, ...figures } = metric;
      const scaled = Object.fromEntries(
        Object.entries(figures).map(([figure, us]) => [figure, us === null ? null : us * times]),
      ) as typeof figures;
      const percentiles = Object.entries(scaled).filter(([figure, us]) => figure.startsWith('p') && us !== null);
      const intervals = Object.fromEntries(
        percentiles.map(([figure, us]): [string, [number, number]] => [figure, [us! * 0.96, us! * 1.04]]),
      );
      return [name, { unit, count, independent, ...scaled, intervals: name === 'connect' ? {} : intervals }];
    }),
  );
  return goldenResult({ target: { ...golden.target, name: target }, metrics, ...more });
}

/** A side of a diff: a row for each target of these runs. */
export function sideOf(...results: RunResult[]): DiffInput {
  const targets = [...new Set(results.map(({ target }) => target.name))];
  const rows = targets.map((target) => ({
    target,
    runs: results
      .filter((result) => result.target.name === target)
      .map((result, index) => ({ directory: `results/${target}-${index}`, result })),
  }));
  return { directory: 'results', rows };
}

/** Rows of kept runs, and of what did not run. */
export function goldenComparison(runs: readonly RunResult[], others: readonly ComparisonRow[] = []): Comparison {
  const kept = runs.map((result, index) => ({ directory: `results/${index}`, result }));
  const comparison = assemble(latency, kept, '');
  return { ...comparison, rows: [...comparison.rows, ...others] };
}

export const notAvailable: ComparisonRow = {
  target: 'anycable',
  state: 'notAvailable',
  why: 'no binary was found. Set ANYCABLE_GO_BIN.',
  runs: [],
  figures: [],
};

export const failed: ComparisonRow = {
  target: 'socketio',
  state: 'failed',
  why: 'it did not listen <on 3001>\u0007',
  runs: [],
  figures: [],
};

export function resultDocument(kept: RunOrComparison, scenario: Declaration): Document {
  return isComparison(kept) ? comparisonDocument(kept, scenario) : runDocument(kept, scenario);
}
