import { runSuites } from '../../../render/exports/junit.js';
import { type JunitCase, renderSuites } from '../../../render/exports/junit-document.js';
import type { SuiteOutcome, SuiteRow } from '../book.js';
import type { SuiteBook } from './book.js';
import { changeInWords, withDoubt } from './change.js';

/**
 * JUnit XML: the test suites of every run, and one of what the suite asks beside: that what is required could run, that every run was made, and that
 * nothing is worse than in the baseline.
 */
export function renderSuiteJunit({ suite, boards }: SuiteBook): string {
  const ofRuns = boards.flatMap(({ comparison, scenario }) => runSuites({ kept: comparison, scenario }));
  const cases = suite.entries.flatMap((entry) => entry.rows.flatMap((row) => casesOf(entry, row)));
  const own = { name: `suite ${suite.name}`, timestamp: suite.startedAt, seconds: 0, properties: {}, cases };
  return renderSuites([...ofRuns, ...(cases.length > 0 ? [own] : [])]);
}

function casesOf({ name, isRequired, repeat }: SuiteOutcome, row: SuiteRow): JunitCase[] {
  const { target, state, runs, changes } = row;
  const of = (asks: string): string => `${name} ${target} ${asks}`;
  const whole: JunitCase = { name: of('every run was made') };
  if (runs < repeat) whole.fault = fault('error', `${runs} of ${repeat} runs`);
  return [
    ...(isRequired ? [requiredCase(of('can be run'), row)] : []),
    ...(state === 'notAvailable' ? [] : [whole]),
    ...(changes === null ? [] : [heldCase(of('is not worse than the baseline'), row, changes)]),
  ];
}

/** Of a target that was not tried nobody knows. */
function requiredCase(name: string, { state, why, runs }: SuiteRow): JunitCase {
  if (state !== 'ran') return { name, fault: fault('failure', why) };
  return runs > 0 ? { name } : { name, fault: fault('skipped', 'it was not tried') };
}

function heldCase(name: string, row: SuiteRow, changes: NonNullable<SuiteRow['changes']>): JunitCase {
  const worse = changes.filter(({ judgement }) => judgement === 'worse').map(changeInWords);
  return worse.length > 0 ? { name, fault: fault('failure', withDoubt(worse.join(', '), row)) } : { name };
}

function fault(is: 'failure' | 'error' | 'skipped', message: string): NonNullable<JunitCase['fault']> {
  return { is, type: 'suite', message, text: '' };
}
