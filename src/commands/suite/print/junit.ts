import { type JunitCase, renderSuites, runSuites } from '../../../render/exports/junit.js';
import type { SuiteBook, SuiteOutcome, SuiteRow } from '../book.js';
import { changeInWords, withDoubt } from './words.js';

/** JUnit XML: a test suite per run, and one for the suite itself: targets ran, no run is missing, nothing is worse. */
export function renderSuiteJunit({ suite, boards }: SuiteBook): string {
  const ofRuns = boards.flatMap(({ comparison, scenario }) => runSuites({ kept: comparison, scenario }));
  const cases = suite.entries.flatMap((entry) => entry.rows.flatMap((row) => casesOf(entry, row)));
  const own = { name: `suite ${suite.name}`, timestamp: suite.startedAt, seconds: 0, properties: {}, cases };
  return renderSuites([...ofRuns, ...(cases.length > 0 ? [own] : [])]);
}

function casesOf({ name, isRequired, repeat }: SuiteOutcome, row: SuiteRow): JunitCase[] {
  const { target, state, why, runs, changes } = row;
  const worse = (changes ?? []).filter(({ judgement }) => judgement === 'worse').map(changeInWords);
  const test = (checks: string, is: 'failure' | 'error' | 'skipped', message: string | undefined): JunitCase => ({
    name: `${name} ${target} ${checks}`,
    ...(message !== undefined && { fault: { is, type: 'suite', message, text: '' } }),
  });
  const ran =
    state === 'ran' ? test('can run', 'skipped', runs > 0 ? undefined : 'not tried') : test('can run', 'failure', why);
  const whole = test('made every run', 'error', runs < repeat ? `${runs} of ${repeat} runs` : undefined);
  const same = test('is not worse', 'failure', worse.length > 0 ? withDoubt(worse.join(', '), row) : undefined);
  return [...(isRequired ? [ran] : []), ...(state === 'notAvailable' ? [] : [whole]), ...(changes ? [same] : [])];
}
