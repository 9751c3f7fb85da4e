import { expect, it } from 'vitest';
import type { Sum } from '../../../measure/ledger.js';
import { scenarioByName } from '../../../scenarios/list.js';
import { sumsOf } from './ledger.js';

const inWords = ({ whole, parts }: Sum): string => `${whole[0]} = ${parts.map(([part]) => part).join(' + ')}`;

it.each([
  ['connect', ['started = opened + failed', 'asked = opened + notOpened']],
  ['idle', ['opened = held + lost', 'asked = opened + notOpened']],
  ['steps', ['expected = delivered + lost', 'sent = answered + unanswered']],
  [
    'avalanche',
    [
      'attempted = acked + refused + failed',
      'asked = opened + notOpened + lostBefore',
      'opened = cut + neverCut',
      'cut = proven + backUnproven + notBack',
      'attempts = returns + failedAttempts + underWay',
    ],
  ],
  [
    'deploy',
    [
      'attempted = acked + refused + failed',
      'expected = live + replayed + lostOffline + lostOnline',
      'subscribers = cut + neverCut',
      'cut = proven + backUnproven + notBack',
      'dropped = returns + notBack',
      'attempts = returns + failedAttempts + underWay',
      'subscribers = gaps + openGaps + unheard',
    ],
  ],
  [
    'jitter',
    [
      'attempted = acked + refused + failed',
      'expected = live + replayed + lostOffline + lostOnline',
      'attempts = back + failedAttempts + underWay',
      'planned = drops + skipped + notDue',
    ],
  ],
])('draws each sum of %s that adds something', (name, found) => {
  const scenario = scenarioByName(name);
  if (!scenario) throw new Error(`no scenario ${name}`);
  const { entries } = scenario.ledger({ counts: {}, causes: {}, series: {}, timeline: {} });
  expect(sumsOf(scenario.books, entries).map(inWords)).toEqual(found);
});
