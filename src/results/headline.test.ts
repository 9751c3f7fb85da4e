import { expect, it } from 'vitest';
import { goldenResult } from './golden-result.js';
import { headlineValue } from './headline.js';

it('has nothing to say of what a ledger did not count', () => {
  const books = { expected: 211, delivered: 199, lost: 0 };
  const count = (entry: string) => headlineValue({ title: '', kind: 'count', entry }, goldenResult({ ledger: books }));
  const share = (part: string, whole: string) =>
    headlineValue({ title: '', kind: 'share', part, whole }, goldenResult({ ledger: books }));
  expect([count('expected'), count('lost'), count('lostOnline')]).toEqual([211, 0, null]);
  expect([share('lost', 'expected'), share('live', 'expected'), share('delivered', 'wanted')]).toEqual([0, null, null]);
});
