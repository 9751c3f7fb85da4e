import type { StageSpec } from '../measure/declaration.js';
import { breaksOf, kindsOf, ledgerSum } from '../measure/ledger.js';
import { notZero, readerOf } from './books/ledger.js';
import { ofTarget } from './metrics.js';
import type { Scenario } from './scenario.js';

/** Runs before all stages if clients log in. No gate opens it: all shards wait behind it. */
export const loginStage: StageSpec = { name: 'login', summary: 'clients log in, as fast as the target takes it' };

/** The gate of a first stage that has none of its own. */
export const loginGate = 'loggedIn';

const loginSum = ledgerSum(['loginsAsked', 'logins'], { loggedIn: 'logged in', loginsFailed: 'failed' });

/** Adds logins to a scenario: one metric, and a sum of the ledger, in runs that have logins. */
export function withLogins(scenario: Scenario): Scenario {
  const { books, metrics } = scenario;
  const kinds = kindsOf({ given: ['loginsAsked'], merit: ['loggedIn'], fault: ['loginsFailed'] });
  return {
    ...scenario,
    metrics: {
      ...metrics,
      login: ofTarget('from a client’s login request to the end of its answer', { isOptional: true }),
    },
    books: { kinds: { ...books.kinds, ...kinds }, sums: [...books.sums, loginSum] },
    ledger(sums) {
      const ledger = scenario.ledger(sums);
      const { loginsAsked, loggedIn = 0, loginsFailed = 0 } = sums.counts;
      if (loginsAsked === undefined) return ledger;
      const entries = { loginsAsked, loggedIn, loginsFailed, loginsFailedByCause: notZero(sums.causes.login ?? {}) };
      return {
        ...ledger,
        entries: { ...ledger.entries, ...entries },
        breaks: [...ledger.breaks, ...breaksOf({ kinds, sums: [loginSum] }, entries)],
      };
    },
    ledgerLines(entries) {
      const lines = scenario.ledgerLines(entries);
      if (!('loginsAsked' in entries)) return lines;
      const { of, parts } = readerOf(entries);
      const sum = parts(loginSum, { loginsFailed: 'loginsFailedByCause' });
      return [['logins', `${of('loginsAsked')} asked = ${sum}`], ...lines];
    },
  };
}
