import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

// The scripts of a page act as soon as they are there: they get a page without charts.
type Draw = typeof import('./draw.js');
type Live = typeof import('./live.js');
let draw: Draw;
let live: Live;
/** What the page does with an event of its server, and its elements by id. */
const acts = new Map<string, (event: { data: string }) => void>();
const elements = new Map<string, Record<string, unknown>>();

function element(id: string): Record<string, unknown> {
  const found = elements.get(id) ?? {
    textContent: '{"charts":[],"curves":{}}',
    replaceChildren: () => undefined,
    querySelector: () => null,
  };
  elements.set(id, found);
  return found;
}

beforeAll(async () => {
  const nothing = { addEventListener: acts.set.bind(acts), close: () => undefined };
  vi.stubGlobal('document', { getElementById: element });
  vi.stubGlobal('matchMedia', () => nothing);
  vi.stubGlobal('addEventListener', () => undefined);
  vi.stubGlobal('EventSource', function source() {
    return nothing;
  });
  draw = await import('./draw.js');
  live = await import('./live.js');
});
afterAll(() => vi.unstubAllGlobals());

it('axes over time begin at zero and do not jump in the first ten seconds', () => {
  const ends = [null, 1, 1.003, 9.9, 10, 26.5].map((most) => draw.linearRange(most));
  expect(ends).toEqual([
    [0, 10],
    [0, 10],
    [0, 10],
    [0, 10],
    [0, 10],
    [0, 26.5],
  ]);
});

it('axes of percentiles have the digits that a rank needs', () => {
  const at = [1, 2, 3, 4, 10, 100, 1000, 1e6, 1e7, 3_456_789].map((x) => draw.percentileOf(x));
  expect(at).toEqual([
    ...['0 %', '50 %', '66.67 %', '75 %', '90 %', '99 %', '99.9 %'],
    ...['99.9999 %', '99.99999 %', '99.99997107 %'],
  ]);
});

it('an open page says that a shard is lost for as long as it is', () => {
  vi.stubGlobal('document', { getElementById: element });
  const shard = { index: 1, url: 'http://127.0.0.1:7', stage: 'publish', silentMs: 0 };
  const isHidden = (lost: string | null): unknown => {
    const view = { stage: 'publish', elapsedMs: 7, plannedMs: 11, figures: {}, gauges: {}, percentiles: null };
    const data = JSON.stringify({ ...view, loadAtMs: null, stages: [], shards: [{ ...shard, lost }] });
    acts.get('view')?.({ data });
    return element('alert').hidden;
  };
  expect([isHidden('did not answer for 31 s'), isHidden(null)]).toEqual([false, true]);
  expect(element('alert').textContent).toBe('');
});

describe('the stages on an open page', () => {
  const stages = [
    { name: 'ramp', fromMs: 211, toMs: 711 },
    { name: 'publish', fromMs: 1211, toMs: null },
  ];

  it('are in seconds since the load began, and the one that goes on ends nowhere', () => {
    expect(live.bandsOf({ loadAtMs: 211, stages })).toEqual([
      { name: 'ramp', from: 0, to: 0.5 },
      { name: 'publish', from: 1, to: Number.POSITIVE_INFINITY },
    ]);
  });

  it('are none before the load began', () => {
    expect(live.bandsOf({ loadAtMs: null, stages })).toEqual([]);
  });
});

it('the columns of an open page get a point for each line, in order', () => {
  const columns = [[1], [7], [null]];
  live.extend(columns, [
    [2, 8, null],
    [3, null, 5],
  ]);
  expect(columns).toEqual([
    [1, 2, 3],
    [7, 8, null],
    [null, null, 5],
  ]);
});

it('the columns of an open page are bounded however long the page is open, and stay as long as each other', () => {
  const columns: number[][] = [[], []];
  for (let n = 0; n < 30_011; n++) live.extend(columns, [[n, 2 * n]]);
  const [x = [], y = []] = columns;
  expect(x.length).toBeLessThanOrEqual(4000);
  expect(x.length).toBeGreaterThan(2000);
  expect([x[0], x.at(-1)]).toEqual([0, 30_010]);
  expect(y).toEqual(x.map((each) => 2 * each));
  expect(x.every((each, n) => n === 0 || each > (x[n - 1] ?? 0))).toBe(true);
});
