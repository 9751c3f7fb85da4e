import { performance } from 'node:perf_hooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startObservation } from './observe.js';
import type { ObservationSource, Readings } from './source.js';

const startEpochMs = 1_700_000_000_000;

beforeEach(() => {
  vi.useFakeTimers({ now: startEpochMs });
  vi.spyOn(performance, 'now').mockImplementation(() => Date.now() - startEpochMs + 7919);
});

afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const reading = (value: number, process?: string): Readings => ({
  endings: [],
  values: [{ name: 'rssBytes', value, process }],
});

function source(read: ObservationSource['read'], more: Partial<ObservationSource> = {}): ObservationSource {
  return { source: 'proc', reads: ['rssBytes'], read, ...more };
}

/** A source whose readings take the given times, one after the other. */
function slow(takesMs: number[], more: Partial<ObservationSource> = {}) {
  const startedAt: number[] = [];
  let underWay = 0;
  let most = 0;
  const made = source(async ({ nowMs }) => {
    startedAt.push(nowMs());
    most = Math.max(most, ++underWay);
    await later(takesMs.shift() ?? 0);
    underWay--;
    return reading(startedAt.length);
  }, more);
  return { made, startedAt, mostAtOnce: () => most };
}

describe('an observation', () => {
  it('reads each source at once and on the beat, on one axis', async () => {
    let reads = 0;
    const observation = startObservation([source(async () => reading(++reads))], 500);
    await vi.advanceTimersByTimeAsync(1700);
    const [series] = await observation.stop();
    expect(series?.points).toEqual([0, 500, 1000, 1500].map((atMs, index) => ({ atMs, value: index + 1 })));
    await vi.advanceTimersByTimeAsync(5000);
    expect(reads).toBe(4);
  });

  it('lets a slow source delay no other, and never reads one twice at once', async () => {
    const hare = slow([]);
    const tortoise = slow([1300, 0, 700]);
    const observation = startObservation([tortoise.made, hare.made], 500);
    await vi.advanceTimersByTimeAsync(3100);
    const stopping = observation.stop();
    await vi.advanceTimersByTimeAsync(100);
    await stopping;
    expect(hare.startedAt).toEqual([0, 500, 1000, 1500, 2000, 2500, 3000]);
    // The turn at 1500 would follow so closely on the answer of 1300 that a rate between the two were noise.
    expect(tortoise.startedAt).toEqual([0, 2000, 2500]);
    expect(tortoise.mostAtOnce()).toBe(1);
  });

  it('records a failure as the end of the series and goes on', async () => {
    let turn = 0;
    const flaky = source(async () => {
      turn++;
      if (turn === 2) throw Object.assign(new Error(''), { code: 'ECONNRESET' });
      return reading(turn);
    });
    const observation = startObservation([flaky], 1000);
    await vi.advanceTimersByTimeAsync(2100);
    expect(await observation.stop()).toMatchObject([
      { points: [{ atMs: 0, value: 1 }], endedBecause: 'ECONNRESET' },
      { points: [{ atMs: 2000, value: 3 }] },
    ]);
  });

  it('records a source that throws before it waits', async () => {
    const observation = startObservation([
      source(() => {
        throw new Error('no such thing');
      }),
    ]);
    expect(await observation.stop()).toMatchObject([{ points: [], endedBecause: 'no such thing' }]);
  });

  it('cuts off a reading at its end, which is no failure of the source', async () => {
    const hanging = source(
      (_, signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    const observation = startObservation([hanging, source(async () => reading(7))], 1000);
    await vi.advanceTimersByTimeAsync(1700);
    const series = await observation.stop();
    expect(series).toMatchObject([{ points: [{ value: 7 }, { value: 7 }] }]);
    expect(series[0]).not.toHaveProperty('endedBecause');
  });

  it('stops once, and gives the same to whoever asks again', async () => {
    const observation = startObservation([source(async () => reading(7))]);
    expect(await observation.stop()).toBe(await observation.stop());
  });
});

describe('a peek', () => {
  it('takes processes together, and the first source that has the metric', async () => {
    const two = source(async () => ({
      endings: [],
      values: [...reading(11, '7').values, ...reading(13, '17').values],
    }));
    const observation = startObservation([
      source(async () => ({ endings: [], values: [] })),
      two,
      source(async () => reading(2)),
    ]);
    expect(observation.peek('rssBytes')).toBeUndefined();
    await vi.advanceTimersByTimeAsync(0);
    expect(observation.peek('rssBytes')).toBe(24);
    expect(observation.peek('connections')).toBeUndefined();
    await observation.stop();
  });

  it.each<[number, Partial<ObservationSource>]>([
    [3000, {}],
    [15_000, { rarely: { rssBytes: 5000 } }],
  ])('forgets a value after three intervals of the metric: %d ms', async (intervalsMs, more) => {
    const hanging = slow([0, 60_000], more);
    const observation = startObservation([hanging.made], 1000);
    await vi.advanceTimersByTimeAsync(intervalsMs);
    expect(observation.peek('rssBytes')).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(observation.peek('rssBytes')).toBeUndefined();
    await vi.advanceTimersByTimeAsync(60_000);
    await observation.stop();
  });

  it('has nothing of a source that failed', async () => {
    let turn = 0;
    const observation = startObservation([
      source(async () => {
        if (turn++ > 0) throw new Error('gone');
        return reading(7);
      }),
    ]);
    await vi.advanceTimersByTimeAsync(0);
    expect(observation.peek('rssBytes')).toBe(7);
    await vi.advanceTimersByTimeAsync(1000);
    expect(observation.peek('rssBytes')).toBeUndefined();
    await observation.stop();
  });
});
