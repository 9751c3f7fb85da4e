import { expect, it } from 'vitest';
import { describeInBrowser } from '../../../test/browser.js';
import { type Column, events, line, numbers, place, pointsOf, visit, watched } from '../../../test/runs/watch.js';

describeInBrowser('run --watch in Chromium', () => {
  it('says so when a shard dies, whose lines end', async () => {
    const shards = await Promise.all([place.benchRunner(), place.benchRunner()]);
    const flags = shards.flatMap(({ port }) => ['--shard', `http://127.0.0.1:${port}`]);
    let own = '';
    const { page } = await visit((each) => own !== '' && each.startsWith(own));
    const { command, url } = await watched([...flags, '--lease', '3s'], 11, 197);
    own = url;
    const told = events(url);
    await page.goto(url);
    await page.waitForFunction(() => Number(document.querySelector<HTMLInputElement>('#live-open .cursor')?.max) >= 2);
    shards[1]?.command.kill('SIGKILL');
    await page.waitForSelector('#alert:not([hidden])');
    expect(await page.locator('#alert').textContent()).toMatch(/\b1\b/);
    await page.waitForSelector('#how-to-read');
    expect(await page.locator('#verdict').textContent()).toContain('VOID');
    expect((await command.ended).code).toBe(5);
    const points = pointsOf(await told);
    const [lives, died] = [0, 1].map((shard) => line(points, `shard-${shard}-open`)) as [Column, Column];
    expect([died[0], died.at(-1)]).toEqual([expect.any(Number), null]);
    const from = died.indexOf(null);
    expect(numbers(died.slice(from))).toEqual([]);
    expect(numbers(lives.slice(from)).length).toBeGreaterThan(0);
    expect(line(points, 'open')[from]).toBe(lives[from]);
  });
});
