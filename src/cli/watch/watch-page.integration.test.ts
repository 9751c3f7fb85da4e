import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { chartsIn } from '../../../test/runs/live-charts.js';
import { isLive, line, numbers, pagesOf, place, reported, watched } from '../../../test/runs/watch.js';
import { keptDirectory, keptResult } from '../../../test/workplace.js';

/** The status of the page for a request that names another host. */
function statusForStranger(url: string): Promise<number | undefined> {
  const { port } = new URL(url);
  const headers = { host: `evil.example:${port}` };
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: '/', headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

describe.concurrent('run --watch', () => {
  it('shows how the run goes, that it is over, and the report; then its server is gone', () =>
    place.fleet.lend(2, async (env) => {
      const { command, url } = await watched([], 211, 67, { ...env });
      const page = await (await fetch(url)).text();
      expect(page).toContain('<h1>latency of ws</h1>');
      expect(await statusForStranger(url)).toBe(403);
      const pages = await pagesOf(url);
      const ended = await command.ended;
      const charts = chartsIn(pages.filter(isLive).at(-1) ?? '');
      expect(line(charts, 'deliveries').length).toBeGreaterThan(2);
      const result = keptResult(ended);
      expect(result.stop.code).toBe('completed');
      for (const shard of [0, 1]) {
        const rates = numbers(line(charts, `shard-${shard}-deliveriesPerSecond`)).filter((rate) => rate > 0);
        const inReport = reported(result, shard);
        // One of the two may join a second in which a shard was held up, and the last one.
        expect(rates.filter((rate) => inReport.includes(rate)).length).toBeGreaterThan(1);
      }
      line(charts, 'deliveries').forEach((rate, n) => {
        const parts = [0, 1].map((shard) => line(charts, `shard-${shard}-deliveriesPerSecond`)[n] ?? 0);
        expect(Math.abs((rate ?? 0) - (parts[0] ?? 0) - (parts[1] ?? 0))).toBeLessThan(0.1);
      });
      expect(line(charts, 'open').at(-1)).toBe(211);
      const [p50, max] = [line(charts, 'percentiles'), line(charts, 'percentiles', -1)];
      expect(numbers(max).length).toBeGreaterThan(1);
      max.forEach((value, n) => {
        if (value !== null) expect(value).toBeGreaterThanOrEqual(p50[n] ?? 0);
      });
      for (const id of ['cpu', 'memory', 'loop-delay']) {
        expect(Math.max(...numbers(line(charts, id)))).toBeGreaterThan(0);
      }
      expect(pages.at(-1)).toContain('<h2 id="how-to-read-title">');
      expect(ended.stderr).toContain(keptDirectory(ended));
      await expect(fetch(url)).rejects.toThrow();
    }));
});
