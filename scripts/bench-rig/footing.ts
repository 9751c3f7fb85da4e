import { count } from '../../src/units/words.js';

/** What was asked for, so that a run of nothing does not foot. */
export interface Asked {
  subscribers: number;
  broadcasts: number;
}

type Entries = Readonly<Record<string, number | undefined>>;

interface Sum {
  what: string;
  sides(ledger: Entries, asked: Asked): [left: number, right: number];
}

// A missing entry is not a number, and a sum with one is broken.
const entry = (ledger: Entries, name: string): number => ledger[name] ?? Number.NaN;

/** What must come out in the books of a run in which nothing went wrong. */
const sums: readonly Sum[] = [
  { what: 'attempted = broadcasts', sides: (ledger, asked) => [entry(ledger, 'attempted'), asked.broadcasts] },
  {
    what: 'attempted = acked + refused + failed',
    sides: (ledger) => [
      entry(ledger, 'attempted'),
      entry(ledger, 'acked') + entry(ledger, 'refused') + entry(ledger, 'failed'),
    ],
  },
  {
    what: 'expected = acked x subscribers',
    sides: (ledger, asked) => [entry(ledger, 'expected'), entry(ledger, 'acked') * asked.subscribers],
  },
  {
    what: 'expected = delivered + lost',
    sides: (ledger) => [entry(ledger, 'expected'), entry(ledger, 'delivered') + entry(ledger, 'lost')],
  },
  { what: 'lost = 0', sides: (ledger) => [entry(ledger, 'lost'), 0] },
];

/** Every sum of a ledger that does not come out, with both of its sides. */
export function brokenSums(ledger: Entries, asked: Asked): string[] {
  return sums.flatMap(({ what, sides }) => {
    const [left, right] = sides(ledger, asked);
    return left === right ? [] : [`${what}: ${count(left)} against ${count(right)}`];
  });
}
