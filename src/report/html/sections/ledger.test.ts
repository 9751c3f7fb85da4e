import { describe, expect, it } from 'vitest';
import { scenarios } from '../../../contract/catalog.js';
import { type Sum, sums, sumsOf } from './ledger.js';

const booksOf = (name: string) => {
  const scenario = scenarios.find((each) => each.name === name);
  return scenario?.ledger({ counts: {}, causes: {}, series: {}, timeline: {} }).entries ?? {};
};
const inWords = ({ whole, parts }: Sum): string => `${whole[0]} = ${parts.map(([part]) => part).join(' + ')}`;

describe('the sums of a ledger', () => {
  it('are each drawn of some scenario', () => {
    const drawn = new Set(scenarios.flatMap(({ name }) => sumsOf(booksOf(name))));
    expect(sums.filter((sum) => !drawn.has(sum)).map(inWords)).toEqual([]);
  });

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
  ])('of %s are all there', (name, found) => {
    expect(sumsOf(booksOf(name)).map(inWords)).toEqual(found);
  });
});
