import { expect, test } from 'vitest';
import { isSilent, talkTogether } from './talk.js';

test('talk of several has the first example of each cause and adds up the rest', () => {
  const one = { examples: { reset: { step: 'opened' as const, received: 'a' } }, others: 2, firstOther: 'x' };
  const two = {
    examples: { reset: { step: 'ready' as const }, tls: { step: 'connecting' as const } },
    others: 5,
    firstOther: 'y',
  };
  expect(talkTogether([undefined, one, two])).toEqual({
    examples: { reset: { step: 'opened', received: 'a' }, tls: { step: 'connecting' } },
    others: 7,
    firstOther: 'x',
  });
});

test('nothing is to be told without an example and another message', () => {
  expect(isSilent(talkTogether([]))).toBe(true);
  expect(isSilent({ examples: {}, others: 1 })).toBe(false);
});
