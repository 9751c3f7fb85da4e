import { afterEach, expect, it, vi } from 'vitest';
import type { ProgressView, RunSecond } from '../../results/progress.js';
import { WatchPage } from './watch-page.js';

afterEach(() => vi.restoreAllMocks());

const gauges = { open: 201, deliveriesPerSecond: 7 };
const second = (atMs: number): RunSecond => ({
  ...{ atMs, gauges, shards: [gauges], target: {}, bins: [], isPart: false },
  percentiles: { count: 701, p50: 743, p95: 3001, p99: 5003, max: 7001 },
});

const view = (...seconds: RunSecond[]): ProgressView => ({
  ...{ stage: 'publish', elapsedMs: 7, plannedMs: 11, figures: {}, gauges, shards: [], percentiles: null },
  ...{ loadAtMs: 211, stages: [], seconds },
});

async function opened(): Promise<{ page: WatchPage; url: string }> {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const page = await WatchPage.open(0, 'a run', 'delivery');
  const [, url = ''] = /(http:\S+)\n/.exec(String(said.mock.calls[0]?.[0])) ?? [];
  return { page, url };
}

async function ask(url: string) {
  const answer = await fetch(url);
  const text = await answer.text();
  const [, data = ''] = /id="page-data">(.*?)<\/script>/s.exec(text) ?? [];
  const { charts } = JSON.parse(data) as { charts: { id: string; lines: { points: { x: number[] } }[] }[] };
  return { text, isAgain: answer.headers.has('refresh'), x: charts[0]?.lines[0]?.points.x ?? [] };
}

it('the page of a run reloads itself, and has each second since the load began', async () => {
  const { page, url } = await opened();
  expect(await ask(url)).toMatchObject({ isAgain: true, x: [] });
  page.show({ ...view(second(1003)), loadAtMs: null });
  page.show(view(second(107), second(1214.2)));
  page.show(view(second(2213.9)));
  expect(await ask(url)).toMatchObject({ isAgain: true, x: [1.003, 2.003] });
  const end = page.end('It is over.', async () => '<p>the report</p><script id="page-data">{"charts":[]}</script>');
  await vi.waitFor(async () => expect(await ask(url)).toMatchObject({ isAgain: false }));
  await end;
  await expect(fetch(url)).rejects.toThrow();
});

it('stays small however long the run, and keeps its beginning and the latest', async () => {
  const { page, url } = await opened();
  for (let n = 1; n <= 9001; n++) page.show(view(second(211 + n * 1000)));
  const { x } = await ask(url);
  expect(x.length).toBeLessThanOrEqual(2000);
  expect([x[0], (x.at(-1) ?? 0) > 8990]).toEqual([1, true]);
  const end = page.end('It is over.');
  expect((await ask(url)).text).toContain('It is over.');
  await end;
});

it('says why there is no report, and ends the server', async () => {
  const { page, url } = await opened();
  await ask(url);
  const end = page.end('It is over.', async () => Promise.reject(new Error('no space left')));
  const rejected = expect(end).rejects.toThrow('no space left');
  await vi.waitFor(async () => expect((await ask(url)).text).toContain('It is over. No report: no space left'));
  await rejected;
  await expect(fetch(url)).rejects.toThrow();
});

it('waits for no page that nobody opened', async () => {
  const { page } = await opened();
  const report = vi.fn(async () => '');
  await page.end('It is over.', report);
  expect(report).not.toHaveBeenCalled();
});
