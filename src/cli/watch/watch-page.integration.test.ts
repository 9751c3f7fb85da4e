import { connect } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { describeInBrowser } from '../../../test/browser.js';
import { built } from '../../../test/built.js';
import { latencyFlags } from '../../../test/latency.js';
import { events, line, numbers, place, pointsOf, reported, visit, watched } from '../../../test/runs/watch.js';
import { keptResult } from '../../../test/workplace.js';
import type { LiveView } from '../../render/html/live/history.js';

describe.concurrent('run --watch', () => {
  it('tells how the run goes, that it is over, and the report; then its server is gone', async () => {
    const { command, url } = await watched(['--local-shards', '2'], 211);
    const page = await (await fetch(url)).text();
    expect(page).toContain('<h1>latency of ws</h1>');
    const told = await events(url);
    const ended = await command.ended;
    const views = told.filter(({ event }) => event === 'view').map(({ data }) => data as LiveView);
    expect(views.at(-1)).toMatchObject({
      figures: { published: 67 + 3, acked: 70 },
      shards: [{ lost: null }, { lost: null }],
    });
    const points = pointsOf(told);
    expect(points.length).toBeGreaterThan(2);
    const result = keptResult(ended);
    expect(result.stop.code).toBe('completed');
    for (const shard of [0, 1]) {
      const rates = numbers(line(points, `shard-${shard}-deliveriesPerSecond`)).filter((rate) => rate > 0);
      const inReport = reported(result, shard);
      // Seconds in which a shard was held up, and the last, may be joined by one of the two and not by the other.
      expect(rates.filter((rate) => inReport.includes(rate)).length).toBeGreaterThan(1);
    }
    line(points, 'deliveries').forEach((rate, n) => {
      const parts = [0, 1].map((shard) => line(points, `shard-${shard}-deliveriesPerSecond`)[n] ?? 0);
      expect(Math.abs((rate ?? 0) - (parts[0] ?? 0) - (parts[1] ?? 0))).toBeLessThan(0.1);
    });
    expect(line(points, 'open').at(-1)).toBe(211);
    const [p50, p99] = [line(points, 'percentiles'), line(points, 'percentiles', 1)];
    expect(numbers(p99).length).toBeGreaterThan(1);
    p99.forEach((value, n) => {
      if (value !== null) expect(value).toBeGreaterThanOrEqual(p50[n] ?? Number.NaN);
    });
    for (const id of ['cpu', 'memory', 'loop-delay']) expect(Math.max(...numbers(line(points, id)))).toBeGreaterThan(0);
    expect(told.slice(-2).map(({ event }) => event)).toEqual(['over', 'end']);
    const { words, html } = (told.at(-1)?.data ?? {}) as { words: string; html: string };
    expect(words).toMatch(/^The run is over\. It is kept in /);
    expect(html).toContain('<h2 id="how-to-read-title">');
    expect(ended.stderr).toContain('kept in ');
    await expect(fetch(url)).rejects.toThrow();
  });

  it('answers to its own name alone', async () => {
    const { command, url } = await watched([], 3, 7);
    const { port } = new URL(url);
    const { request } = await import('node:http');
    const status = await new Promise((resolve, reject) => {
      request({ host: '127.0.0.1', port, path: '/', headers: { host: `evil.example:${port}` } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect(status).toBe(403);
    await command.ended;
  });

  it('is of one run, on a port that is free', async () => {
    const watched = (...more: string[]) =>
      place.run(['run', 'latency', '--target', 'ws', ...latencyFlags(3, 7), '--watch', ...more]);
    const several = await watched('--repeat', '2');
    expect([several.code, several.stderr]).toEqual([2, expect.stringContaining('--watch: expected one run')]);
    const { port } = await place.benchRunner();
    const taken = await watched('--watch-port', String(port));
    expect([taken.code, taken.stderr]).toEqual([2, expect.stringContaining(`--watch-port: 127.0.0.1:${port}`)]);
    const wrong = await watched('--watch-port', '70000');
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--watch-port: expected')]);
  });
});

describe('the page of a run', () => {
  it('waits for no reader that has stopped reading, and goes on for the others', async () => {
    const { WatchPage } = (await import(built('src/cli/watch/watch-page.js'))) as typeof import('./watch-page.js');
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const page = await WatchPage.open(0, 'a run', 1, undefined);
    const [, url = ''] = /watch it on (.*)\n/.exec(String(said.mock.calls[0]?.[0])) ?? [];
    said.mockRestore();
    const told = events(url);
    const stuck = connect(Number(new URL(url).port), '127.0.0.1');
    stuck.write(`GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
    const figures = Object.fromEntries(Array.from({ length: 9001 }, (_, n) => [`figure ${n}`, n]));
    const view = { stage: 'publish', elapsedMs: 0, plannedMs: 1, figures, gauges: {}, shards: [] };
    const looks = 211;
    for (let n = 0; n < looks; n++) {
      page.show({ ...view, percentiles: null, loadAtMs: null, stages: [], seconds: [] });
      await new Promise((resolve) => setTimeout(resolve, 7));
    }
    await page.end('It is over.');
    let [bytes, text] = [0, ''];
    for await (const chunk of stuck) {
      bytes += (chunk as Buffer).length;
      text = (text + String(chunk)).slice(-1000);
    }
    expect(text).not.toContain('event: end');
    expect(bytes).toBeLessThan((looks * JSON.stringify(figures).length) / 2);
    const all = await told;
    expect([all.length > looks / 2, all.at(-1)?.event]).toEqual([true, 'end']);
  });
});

describeInBrowser('run --watch in Chromium', () => {
  it('draws points while the run goes, and becomes its report', async () => {
    // A browser may take longer to start than the run does.
    let own = '';
    const { page, complaints, refused } = await visit((each) => own !== '' && each.startsWith(own));
    const { command, url } = await watched(['--local-shards', '2']);
    own = url;
    await page.goto(url);
    // The slider over the points ends at the last.
    await page.waitForFunction(() => Number(document.querySelector<HTMLInputElement>('#live-open .cursor')?.max) >= 1);
    expect(await page.locator('#status').textContent()).toMatch(/^Stage: /);
    await page.waitForSelector('#how-to-read');
    expect(await page.locator('figure.chart[data-drawn] canvas').count()).toBeGreaterThan(7);
    await command.ended;
    // Whoever asked again after the end would be heard complaining.
    await page.waitForTimeout(4000);
    expect({ complaints, refused }).toEqual({ complaints: [], refused: [] });
  });
});
