import type { SuiteBook } from '../src/commands/suite/conclude.js';
import { assemble } from '../src/experiment/compare.js';
import type { SuiteChange, SuiteOutcome, SuiteResult, SuiteRow } from '../src/results/experiment.js';
import { goldenResult } from './golden-result.js';
import { latency } from './scenarios.js';

/** A clean row of one run. */
export const suiteRow = (target: string, more: Partial<SuiteRow> = {}): SuiteRow => ({
  target,
  state: 'ran',
  why: '',
  runs: 1,
  verdicts: { clean: 1, limited: 0, void: 0 },
  thresholds: { given: 1, kept: 1, broken: [] },
  stops: [],
  changes: [],
  isOpen: false,
  untold: 0,
  ...more,
});

/** A suite of one entry, `wide`, that is compared with the night before. */
export function suiteBook(
  rows: SuiteRow[],
  more: Partial<SuiteOutcome> = {},
  ends: Partial<SuiteResult> = {},
): SuiteBook {
  const entry: SuiteOutcome = {
    name: 'wide',
    scenario: 'latency',
    fingerprint: 'dc5a9d213400',
    repeat: 1,
    isRequired: false,
    rows,
    baseline: { directory: 'before', startedAt: '2026-11-20T09:40:15.682Z' },
    notHeld: '',
    differs: ['machine: cpu: A and B'],
    ...more,
  };
  const suite: SuiteResult = {
    schema: 2,
    tool: { name: 'ringside-bench', version: '0.1.0' },
    kind: 'suite',
    name: 'nights',
    hash: 'aa',
    seed: 7,
    startedAt: '2026-11-21T09:40:15.682Z',
    endedAt: '2026-11-21T09:50:15.682Z',
    isComplete: true,
    exit: 'threshold',
    entries: [entry],
    ...ends,
  };
  const comparison = assemble(latency, [{ directory: 'there', result: goldenResult() }], '');
  return { suite, boards: [{ name: 'wide', comparison, scenario: latency }] };
}

/** A p99 that doubled. */
export const slower: SuiteChange = {
  ...{ name: 'delivery.p99', kind: 'figure', relation: 'worse' },
  ...{ baseline: 5003, candidate: 10_006, isOpen: false },
};

/** Losses that the baseline does not have. */
export const lossier: SuiteChange = {
  ...{ name: 'lost', kind: 'count', relation: 'worse' },
  ...{ baseline: 0, candidate: 7, isOpen: false },
};

/** A row of a target that can't be started here. */
export const missing = suiteRow('anycable', { state: 'notAvailable', why: 'no <binary>', runs: 0, changes: null });
