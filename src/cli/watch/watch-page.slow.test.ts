import { expect, it } from 'vitest';
import { describeInBrowser } from '../../../test/browser.js';
import { chartsIn } from '../../../test/runs/live-charts.js';
import { isLive, line, numbers, pagesOf, place, visit, watched } from '../../../test/runs/watch.js';

describeInBrowser('run --watch in Chromium', () => {
  it('draws points while the run goes, and becomes its report', () =>
    place.fleet.lend(2, async (env) => {
      // A browser may take longer to start than the run does.
      let own = '';
      const { page, complaints, refused } = await visit((each) => own !== '' && each.startsWith(own));
      const { command, url } = await watched([], 11, 67, { ...env });
      own = url;
      await page.goto(url);
      // The slider over the points ends at the last.
      const hasPoints = () => Number(document.querySelector<HTMLInputElement>('#live-open .cursor')?.max) >= 1;
      await page.waitForFunction(hasPoints);
      expect(await page.locator('#status').textContent()).toMatch(/\S/);
      await page.waitForSelector('#how-to-read');
      expect(await page.locator('figure.chart[data-drawn] canvas').count()).toBeGreaterThan(7);
      await command.ended;
      // A page that asked again after the end would complain by now.
      await page.waitForTimeout(4000);
      expect({ complaints, refused }).toEqual({ complaints: [], refused: [] });
    }));

  it('says so when a shard dies, whose lines end', async () => {
    const shards = await Promise.all([place.benchRunner(), place.benchRunner()]);
    const flags = shards.flatMap(({ port }) => ['--shard', `http://127.0.0.1:${port}`]);
    let own = '';
    const { page } = await visit((each) => own !== '' && each.startsWith(own));
    const { command, url } = await watched([...flags, '--lease', '3s'], 11, 1499);
    own = url;
    const pages = pagesOf(url);
    await page.goto(url);
    await page.waitForFunction(() => Number(document.querySelector<HTMLInputElement>('#live-open .cursor')?.max) >= 2);
    shards[1]?.command.kill('SIGKILL');
    await page.waitForSelector('.answer');
    expect(await page.locator('.answer').textContent()).toContain('VOID');
    expect((await command.ended).code).toBe(5);
    const charts = chartsIn((await pages).filter(isLive).at(-1) ?? '');
    const [lives, died] = [0, 1].map((shard) => line(charts, `shard-${shard}-open`));
    if (!lives || !died) throw new Error('expected two shards');
    expect([died[0], died.at(-1)]).toEqual([expect.any(Number), null]);
    const from = died.indexOf(null);
    expect(numbers(died.slice(from))).toEqual([]);
    expect(numbers(lives.slice(from)).length).toBeGreaterThan(0);
    expect(line(charts, 'open')[from]).toBe(lives[from]);
  });
});
