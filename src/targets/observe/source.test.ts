import { expect, it } from 'vitest';
import { z } from 'zod';
import type { TargetStats } from '../target.js';
import { Growth, type Readings, reasonOf, statsSource } from './source.js';

it('says in one line why a reading failed', () => {
  expect(reasonOf(new Error('one\n  two'))).toBe('one two');
  expect(reasonOf(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }))).toBe('ECONNREFUSED');
  const { error } = z.object({ pid: z.number() }).safeParse({ pid: 'seven' });
  expect(reasonOf(error)).toContain('pid');
  expect(reasonOf(error)).not.toContain('\n');
});

it('growth is the difference of two totals over the time between them, and unknown for a total that fell', () => {
  const growth = new Growth();
  expect(growth.perSecond(13, 1000)).toBeUndefined();
  expect(growth.perSecond(27, 3000)).toBe(7);
  expect(growth.perSecond(27, 3000)).toBeUndefined();
  expect([growth.isFall(27), growth.isFall(11)]).toEqual([false, true]);
  expect(growth.perSecond(11, 4000)).toBeUndefined();
  expect(growth.perSecond(14, 5000)).toBe(3);
});

const stats = (more: Partial<TargetStats> = {}): TargetStats => ({
  ...{ pid: 4711, rssBytes: 61_865_984, cpuUserUs: 150_000, cpuSystemUs: 50_000, connections: 7 },
  ...{ eventLoopDelayP99Ms: 1.06, eventLoopUtilization: 0.37 },
  versions: {},
  settings: {},
  ...more,
});

/** What a source makes of answers that come a second apart. */
async function readAll(...answers: TargetStats[]): Promise<Readings[]> {
  let atMs = 0;
  const source = statsSource('http://127.0.0.1:1/_stats', async () => answers.shift()!);
  const all: Readings[] = [];
  for (const _ of [...answers]) {
    all.push(await source.read({ nowMs: () => atMs }, new AbortController().signal));
    atMs += 1000;
  }
  return all;
}

const names = ({ values }: Readings): string[] => values.map(({ name }) => name);

it('gives from the first answer only what is of that moment', async () => {
  const [first] = await readAll(stats());
  expect(first).toEqual({
    endings: [],
    values: [
      { name: 'rssBytes', value: 61_865_984, process: '4711' },
      { name: 'connections', value: 7, process: '4711' },
    ],
  });
});

it('gives CPU as growth, and utilisation in percent', async () => {
  const [, second] = await readAll(stats(), stats({ cpuUserUs: 600_000, cpuSystemUs: 330_000 }));
  expect(second?.endings).toEqual([]);
  expect(second?.values.slice(2).map(({ name, value }) => [name, Math.round(value * 100) / 100])).toEqual([
    ['cpuPercent', 73],
    ['eventLoopDelayP99Ms', 1.06],
    ['eventLoopUtilization', 37],
  ]);
});

it('ends the series when another process answers', async () => {
  const [, second] = await readAll(stats(), stats({ pid: 4721, cpuUserUs: 900_000 }));
  expect(second?.endings).toEqual([{ because: expect.stringContaining('4721') }]);
  expect(names(second!)).toEqual(['rssBytes', 'connections']);
  expect(second?.values.every(({ process }) => process === '4721')).toBe(true);
});

it('knows a new process of the same pid by its CPU time', async () => {
  const [, second, third] = await readAll(stats(), stats({ cpuUserUs: 1000 }), stats({ cpuUserUs: 11_000 }));
  expect(second?.endings).toEqual([{ because: 'process 4711 restarted' }]);
  expect(names(second!)).toEqual(['rssBytes', 'connections']);
  expect(third?.values[2]).toMatchObject({ name: 'cpuPercent', value: expect.closeTo(1, 7) });
});

it('fails with the fetch', async () => {
  const source = statsSource('http://127.0.0.1:1/_stats', async () => {
    throw new Error('connect ECONNREFUSED');
  });
  const read = source.read({ nowMs: () => 0 }, new AbortController().signal);
  await expect(read).rejects.toThrow('ECONNREFUSED');
});
