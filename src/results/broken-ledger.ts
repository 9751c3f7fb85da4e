import type { Declaration } from '../measure/declaration.js';
import { type Books, breaksOf, countIn } from '../measure/ledger.js';
import { ledgerBroken } from '../measure/verdict/run-rules.js';
import { type Comparison, comparisonRows, isComparison, type RunOrComparison } from './comparison.js';
import { unfinishedOf } from './independent.js';
import type { RunResult } from './result.js';

type Declared = Pick<Declaration, 'books' | 'metrics'>;

/** Returns a kept run or comparison in which each run whose counts do not add up is void. */
export function withLedgersChecked<R extends RunOrComparison>(found: R, scenario: Declared): R;
export function withLedgersChecked(found: RunOrComparison, scenario: Declared): RunOrComparison {
  return isComparison(found) ? checkedComparison(found, scenario) : checkedRun(found, scenario);
}

/** Describes each broken sum in the ledgers of a checked run or comparison, a line each. */
export function ledgerBreaks(found: RunOrComparison): string[] {
  const runs = comparisonRows(found).flatMap((row) => row.runs);
  const evidence = runs.flatMap(({ result }) => result.verdict.evidence.filter(({ rule }) => rule === ledgerBroken));
  return [...new Set(evidence.map(({ rule, text }) => `${rule}: ${text}`))];
}

function checkedComparison(found: Comparison, scenario: Declared): Comparison {
  const rows = found.rows.map((row) => ({
    ...row,
    runs: row.runs.map((run) => ({ ...run, result: checkedRun(run.result, scenario) })),
  }));
  return { ...found, rows };
}

function checkedRun(run: RunResult, { books, metrics }: Declared): RunResult {
  const { verdict, ledger } = run;
  const breaks = [...breaksOf(knownOf(books, run), ledger), ...unfinishedBreaks(run, metrics)];
  if (breaks.length === 0 || verdict.evidence.some(({ rule }) => rule === ledgerBroken)) return run;
  const evidence = { rule: ledgerBroken, level: 'void', text: breaks.join('; ') } as const;
  return { ...run, verdict: { ...verdict, rig: 'void', evidence: [...verdict.evidence, evidence] } };
}

/** Keeps the sums whose every count the ledger has: earlier versions counted less. */
function knownOf(books: Books, { ledger }: RunResult): Books {
  const isKnown = (name: string): boolean => countIn(ledger, name) !== null;
  const sums = books.sums.filter(
    ({ whole: [whole], parts }) => isKnown(whole) && parts.every(([part]) => isKnown(part)),
  );
  return { ...books, sums };
}

/** Compares the ledger with the metric's own number of samples that never came. */
function unfinishedBreaks({ metrics, ledger }: RunResult, declared: Declared['metrics']): string[] {
  return Object.entries(metrics).flatMap(([name, { count, unfinished = 0 }]) => {
    const spec = declared[name];
    if (!spec?.unfinished) return [];
    const expected = unfinishedOf(spec, count, ledger);
    return unfinished === expected
      ? []
      : [`${unfinished} that ${name} misses are not the ${expected} by ${spec.unfinished.join(' + ')}`];
  });
}
