import { describe, expect, it } from 'vitest';
import { goldenResult } from '../../test/golden-result.js';
import { latency } from '../../test/scenarios.js';
import { breaksOf, countUnitOf, kindsOf } from '../measure/ledger.js';
import { scenarios } from '../scenarios/list.js';
import { directionOf, faultless, figureByName, figureForms, figureName, headlineValue } from './figures.js';

it.each(scenarios)('the name of a figure of the headline of $name finds it', (scenario) => {
  for (const column of scenario.headline) {
    const name = figureName(column);
    expect(figureByName(name, scenario)).toEqual({ ...column, title: name });
  }
});

it('the name of a figure is what stands before the sign in a threshold', () => {
  expect(figureByName('publishAck.min', latency)).toMatchObject({ metric: 'publishAck', figure: 'min' });
  expect(figureByName('delivered', latency)).toMatchObject({ kind: 'count', entry: 'delivered' });
});

it.each(['', '%', 'delivery', 'delivery.p98', 'nothing.p99', 'lost>=1', 'lost%', 'lost ==0', 'toString'])(
  'the name of a figure is none: %s',
  (name) => expect(figureByName(name, latency)).toBeUndefined(),
);

it('the name of a figure is told where none was found', () => {
  expect(figureForms(latency)).toMatch(/\bdelivery, .*\battempted, .*\bdelivered%/);
});

it('has nothing to say of what a ledger did not count', () => {
  const books = { expected: 211, delivered: 199, lost: 0 };
  const count = (entry: string) => headlineValue({ title: '', kind: 'count', entry }, goldenResult({ ledger: books }));
  const share = (part: string, whole: string) =>
    headlineValue({ title: '', kind: 'share', part, whole }, goldenResult({ ledger: books }));
  expect([count('expected'), count('lost'), count('lostOnline')]).toEqual([211, 0, null]);
  expect([share('lost', 'expected'), share('live', 'expected'), share('delivered', 'wanted')]).toEqual([0, null, null]);
});

const none = { counts: {}, causes: {}, series: {}, timeline: {} };
/** Counts that a ledger has only where what they say happened. */
const conditional =
  /^(backAfterMs\d+|firstCutMs|lastCutMs|deadlineMs|batches|visits\w*|unowed|wrongStream|login\w+|loggedIn)$/;

describe.each(scenarios)('$name', (scenario) => {
  const { kinds, sums } = scenario.books;

  it('declares each count of its ledger, and no other', () => {
    const { entries } = scenario.ledger(none);
    const counts = Object.keys(entries).filter((name) => typeof entries[name] === 'number');
    expect(counts.filter((name) => !Object.hasOwn(kinds, name))).toEqual([]);
    expect(Object.keys(kinds).filter((name) => !counts.includes(name) && !conditional.test(name))).toEqual([]);
  });

  it('has sums over declared counts alone', () => {
    const named = sums.flatMap(({ whole, parts }) => [whole[0], ...parts.map(([part]) => part)]);
    expect(named.filter((name) => !Object.hasOwn(kinds, name))).toEqual([]);
  });

  it('breaks each sum that is off by one', () => {
    for (const { whole } of sums) expect(breaksOf(scenario.books, { [whole[0]]: 1 })).not.toEqual([]);
  });

  it('has a headline in which a better and a worse can be told', () => {
    const told = scenario.headline.filter((column) => directionOf(column, scenario) !== 'neither');
    expect(told.length).toBeGreaterThanOrEqual(scenario.headline.length - 1);
  });
});

it('means the same by a name in all scenarios', () => {
  const kinds = new Map<string, Set<string>>();
  for (const { books } of scenarios)
    for (const [name, kind] of Object.entries(books.kinds)) kinds.set(name, (kinds.get(name) ?? new Set()).add(kind));
  expect([...kinds].filter(([, each]) => each.size > 1)).toEqual([]);
});

it('reads the unit of a count from its name', () => {
  expect(['deliveriesPerSecond', 'backAfterMs95', 'lastCutMs', 'backlogPeakAtSecond', 'lost'].map(countUnitOf)).toEqual(
    [...['perSecond', 'ms', 'ms', 'seconds', 'count']],
  );
});

const books = { kinds: kindsOf({ merit: ['delivered'], burden: ['backlogPeak'], fault: ['lost'] }), sums: [] };

it('calls less of the target’s times better, and says nothing of the rig’s', () => {
  const metrics = {
    delivery: { kind: 'distribution', unit: 'us', of: 'target', meaning: 'a' },
    publishLag: { kind: 'distribution', unit: 'us', of: 'rig', meaning: 'b' },
  } as const;
  const declared = { metrics, books };
  const p99 = (metric: string) => directionOf({ title: '', kind: 'figure', metric, figure: 'p99' }, declared);
  expect([p99('delivery'), p99('publishLag'), p99('nothing')]).toEqual(['lower', 'neither', 'neither']);
  const share = { title: '', kind: 'share', part: 'delivered', whole: 'expected' } as const;
  expect(directionOf(share, declared)).toBe('higher');
  expect(directionOf({ title: '', kind: 'count', entry: 'lost' }, declared)).toBe('lower');
  expect(directionOf({ title: '', kind: 'footprint' }, declared)).toBe('lower');
});

it('knows what a figure is where nothing went wrong', () => {
  const declared = { metrics: {}, books };
  const count = (entry: string) => faultless({ title: '', kind: 'count', entry }, declared);
  expect([count('lost'), count('backlogPeak'), count('delivered')]).toEqual([0, undefined, undefined]);
  expect(faultless({ title: '', kind: 'share', part: 'delivered', whole: 'expected' }, declared)).toBe(1);
  expect(faultless({ title: '', kind: 'figure', metric: 'delivery', figure: 'p99' }, declared)).toBeUndefined();
});
