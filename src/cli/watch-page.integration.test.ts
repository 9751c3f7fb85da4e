import { describe, expect, it } from 'vitest';
import type { ProgressView } from '../contract/progress.js';
import { browser, describeInBrowser } from '../testing/browser.js';
import type { Command } from '../testing/command.js';
import { latencyFlags } from '../testing/latency.js';
import { workplace } from '../testing/workplace.js';

const place = workplace();
const { visit } = browser();

/** A run of some seconds, and the address of its page. */
async function watched(
  args: readonly string[],
  subscribers = 11,
  broadcasts = 67,
): Promise<{ command: Command; url: string }> {
  const flags = latencyFlags(subscribers, broadcasts);
  const command = place.ringside(['run', 'latency', '--target', 'ws', ...flags, '--rate', '10/s', '--watch', ...args]);
  const [, url = ''] = await command.said('stderr', /watch it on (http:\/\/127\.0\.0\.1:\d+\/)\n/);
  return { command, url };
}

interface Told {
  event: string;
  data: unknown;
}

/** Everything that the page's server tells, to its end. */
async function events(url: string): Promise<Told[]> {
  const text = await (await fetch(`${url}events`)).text();
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const [, event = '', data = ''] = /^event: (.*)\ndata: (.*)$/s.exec(block) ?? [];
      return { event, data: JSON.parse(data) };
    });
}

describe.concurrent('run --watch', () => {
  it('tells how the run goes, that it is over, and the report; then its server is gone', async () => {
    const { command, url } = await watched(['--local-shards', '2']);
    const page = await (await fetch(url)).text();
    expect(page).toContain('<h1>latency of ws</h1>');
    const told = await events(url);
    const ended = await command.ended;
    expect([0, 4]).toContain(ended.code);
    const views = told.filter(({ event }) => event === 'view').map(({ data }) => data as ProgressView);
    expect(views.at(-1)).toMatchObject({
      figures: { published: 67 + 3, acked: 70 },
      shards: [{ lost: null }, { lost: null }],
    });
    expect(told.filter(({ event }) => event === 'points').length).toBeGreaterThanOrEqual(2);
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
    const several = await place.run([
      'run',
      'latency',
      '--target',
      'ws',
      ...latencyFlags(3, 7),
      '--watch',
      '--repeat',
      '2',
    ]);
    expect([several.code, several.stderr]).toEqual([2, expect.stringContaining('--watch: expected one run')]);
    const { port } = await place.benchRunner();
    const taken = await place.run([
      'run',
      'latency',
      '--target',
      'ws',
      ...latencyFlags(3, 7),
      '--watch',
      '--watch-port',
      String(port),
    ]);
    expect([taken.code, taken.stderr]).toEqual([2, expect.stringContaining(`--watch-port: 127.0.0.1:${port}`)]);
    const wrong = await place.run(['run', 'latency', '--target', 'ws', '--watch', '--watch-port', '70000']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--watch-port: expected')]);
  });
});

describeInBrowser('run --watch in Chromium', () => {
  it('draws points while the run goes, and becomes its report', async () => {
    const { command, url } = await watched(['--local-shards', '2']);
    const { page, complaints, refused } = await visit((each) => each.startsWith(url));
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

  it('says so when a shard dies, whose lines end', async () => {
    const shards = await Promise.all([place.benchRunner(), place.benchRunner()]);
    const flags = shards.flatMap(({ port }) => ['--shard', `http://127.0.0.1:${port}`]);
    const { command, url } = await watched(flags, 11, 197);
    const { page } = await visit((each) => each.startsWith(url));
    await page.goto(url);
    await page.waitForFunction(() => Number(document.querySelector<HTMLInputElement>('#live-open .cursor')?.max) >= 2);
    shards[1]?.command.kill('SIGKILL');
    await page.waitForSelector('#alert:not([hidden])');
    expect(await page.locator('#alert').textContent()).toMatch(/^Shard 1 is lost: .*Its lines end here\.$/);
    await page.waitForSelector('#how-to-read');
    expect(await page.locator('#verdict').textContent()).toContain('VOID');
    expect((await command.ended).code).toBe(5);
  });
});
