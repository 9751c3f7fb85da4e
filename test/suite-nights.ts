import { concludeSuite, type HeldBaseline } from '../src/commands/suite/conclude.js';
import { planSuite, type SuitePlan } from '../src/commands/suite/plan.js';
import { readSuite } from '../src/commands/suite/read.js';
import { assemble } from '../src/experiment/compare.js';
import type { Comparison, ComparisonRow } from '../src/results/comparison.js';
import { type SuiteOutcome, type SuiteResult, suiteResult } from '../src/results/experiment.js';
import type { RunResult } from '../src/results/result.js';
import { goldenResult } from './golden-result.js';

/** A suite of one entry: latency of two targets, three runs of each. */
export function plan(required = false): SuitePlan {
  const text = `name: a\nrequired: ${required}\nentries: [{ scenario: latency, targets: [ws, uws], repeat: 3 }]\n`;
  return planSuite(readSuite('a.yml', text), { flags: {}, env: {} }, 11);
}

/** A run in which every delivery took `times` as long as in the golden one. */
function run(target: string, times: number, more: Partial<RunResult> = {}): RunResult {
  const golden = goldenResult();
  const delivery = golden.metrics.delivery;
  if (!delivery?.p50 || !delivery.p99 || !delivery.max) throw new Error('the golden run has deliveries');
  const { p50, p99, max } = delivery;
  const metrics = {
    ...golden.metrics,
    delivery: { ...delivery, p50: p50 * times, p99: p99 * times, max: max * times },
  };
  return goldenResult({ target: { ...golden.target, name: target }, metrics, ...more });
}

const scenario = plan().entries[0]?.scenario;

/** The scoreboard of runs, in their order, and of targets that did not run. */
export function board(runs: RunResult[], more: Partial<ComparisonRow>[] = []): Comparison {
  if (!scenario) throw new Error('there is latency');
  const kept = runs.map((result, index) => ({ directory: `results/${index}`, result }));
  const assembled = assemble(scenario, kept, '');
  const others = more.map((row) => ({ target: 'uws', state: 'ran' as const, why: '', runs: [], figures: [], ...row }));
  return { ...assembled, repeat: 3, startedAt: '2026-11-21T09:40:15.682Z', rows: [...assembled.rows, ...others] };
}

/** Three runs of each target, in which deliveries to the first took `times` as long. */
export const night = (times: number, more: Partial<RunResult> = {}): RunResult[] =>
  ['ws', 'uws'].flatMap((target) =>
    [0.99, 1, 1.01].map((noise) => run(target, target === 'ws' ? times * noise : noise, more)),
  );

const span = { startedAt: '2026-11-21T09:40:15.682Z', endedAt: '2026-11-21T09:50:15.682Z', isInterrupted: false };

/** The result of a suite with that scoreboard, as read from its file. */
export function concluded(
  comparison: Comparison,
  held?: HeldBaseline,
  { required = false, isInterrupted = false } = {},
): SuiteResult {
  const suite = plan(required);
  const [entry] = suite.entries;
  if (!entry) throw new Error('there is an entry');
  const result = concludeSuite(suite, [{ entry, comparison, held }], { ...span, isInterrupted });
  return suiteResult.parse(JSON.parse(JSON.stringify(result)));
}

/** Its only entry. */
export function first({ entries: [entry] }: SuiteResult): SuiteOutcome {
  if (!entry) throw new Error('there is an entry');
  return entry;
}

/** That scoreboard as a baseline. */
export const against = (comparison: Comparison): HeldBaseline => ({ comparison, directory: 'before/latency' });
