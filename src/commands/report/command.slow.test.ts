import { cpSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { browser, describeInBrowser, type Visit } from '../../../test/browser.js';
import { named } from '../../../test/refusal.js';
import { file, place, twoReports } from '../../../test/runs/report.js';
import type { RunResult } from '../../results/result.js';

const { visit } = browser();
let directories: [string, string];
let results: RunResult[];

beforeAll(async () => {
  ({ directories, results } = await twoReports());
});

describeInBrowser('report in Chromium', () => {
  const open = async (name: string, options = {}): Promise<Visit> => {
    const url = pathToFileURL(file(name)).href;
    const visited = await visit((each) => each === url, options);
    await visited.page.goto(url);
    return visited;
  };

  it.each(['one.html', 'two.html'])(
    'draws every chart of %s, asks for nothing, and complains of nothing',
    async (name) => {
      const { page, context, complaints, refused } = await open(name);
      const hidden = await page.locator('details figure.chart').count();
      const charts = await page.locator('figure.chart').count();
      expect(await page.locator('figure.chart[data-drawn] canvas').count()).toBe(charts);
      const painted = await page.locator('figure.chart canvas').evaluateAll(
        (canvases) =>
          canvases.filter((each) => {
            const { width, height } = each as HTMLCanvasElement;
            const pixels = (each as HTMLCanvasElement).getContext('2d')?.getImageData(0, 0, width, height).data ?? [];
            return new Set(new Uint32Array(Uint8ClampedArray.from(pixels).buffer)).size > 7;
          }).length,
      );
      expect(painted).toBeGreaterThanOrEqual(charts - hidden);
      expect({ complaints, refused }).toEqual({ complaints: [], refused: [] });
      await context.close();
    },
  );

  it('shows the numbers of the JSON, with and without its script', async () => {
    const [result] = results as [RunResult];
    for (const javaScriptEnabled of [true, false]) {
      const { page, context } = await open('one.html', { javaScriptEnabled });
      const cells = await page.locator('#figures table').first().locator('tbody tr').all();
      const shown: Record<string, (string | null)[]> = {};
      for (const row of cells) {
        const name = (await row.locator('th').textContent()) ?? '';
        const values = await row.locator('td').all();
        shown[name] = await Promise.all(
          values.map(async (cell) =>
            (await cell.locator('data').count()) > 0 ? cell.locator('data').getAttribute('value') : null,
          ),
        );
      }
      // The lower bound of a metric stands beside its figures.
      const kept = Object.entries(result.metrics).filter(([name, { count }]) => count > 0 && !name.endsWith('AtLeast'));
      const asText = (value: number | null): string | null => (value === null ? null : String(value));
      expect(shown).toEqual(
        Object.fromEntries(
          kept.map(([name, { min, p50, p90, p95, p99, p999, max, mean, count, independent = count }]) => [
            name,
            [min, p50, p90, p95, p99, p999, max, mean, count, independent].map(asText),
          ]),
        ),
      );
      await context.close();
    }
  });

  it('can be read by keyboard and by a screen reader', async () => {
    const { page, context } = await open('one.html');
    expect(await page.locator('h1').count()).toBe(1);
    expect(await page.locator('main').count()).toBe(1);
    const unnamed = await page.evaluate(() =>
      [...document.querySelectorAll('canvas, img, svg, input, button, progress, [role=img]')]
        .filter(
          (each) =>
            !each.closest('[aria-hidden=true], [role=img][aria-label]') &&
            !each.getAttribute('aria-label') &&
            !each.textContent?.trim(),
        )
        .map((each) => each.outerHTML.slice(0, 99)),
    );
    expect(unnamed).toEqual([]);
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('href'))).toMatch(/^#/);
    // Down to the cursor of the first chart, which then reads what is under it.
    const slider = page.locator('#latency-spectrum .cursor');
    for (let n = 0; n < 31 && !(await slider.evaluate((each) => each === document.activeElement)); n++)
      await page.keyboard.press('Tab');
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    expect(await slider.getAttribute('aria-valuetext')).toMatch(/^[\d.]+ %.*delivery [\d.]+/);
    expect(await slider.evaluate((each) => getComputedStyle(each).opacity)).toBe('1');
    await context.close();
  });

  it('moves one cursor over all charts of time', async () => {
    const { page, context } = await open('one.html');
    await page.locator('#time summary').first().click();
    await page.locator('#time-open .cursor').focus();
    await page.keyboard.press('End');
    expect(await page.locator('#time-memory .at').textContent()).toMatch(/ [\d.]+$/);
    await context.close();
  });

  it('hides a line by its button, and is drawn anew in the dark', async () => {
    const { page, context, complaints } = await open('two.html', { colorScheme: 'light' });
    const button = page.locator('#latency-delivery-spectrum .legend button').first();
    await button.click();
    expect(await button.getAttribute('aria-pressed')).toBe('false');
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(20, 23, 27)');
    expect(await page.locator('#latency-delivery-spectrum canvas').count()).toBe(1);
    await page.setViewportSize({ width: 400, height: 800 });
    // Charts are drawn anew in the frame after.
    await page.waitForFunction(() => document.documentElement.scrollWidth === 400);
    expect(complaints).toEqual([]);
    await context.close();
  });
});

describe('report', () => {
  it('is one file of a few hundred kilobytes with the library in it', () => {
    for (const name of ['one.html', 'two.html']) {
      expect(statSync(file(name)).size).toBeLessThan(3_000_000);
      expect(readFileSync(file(name), 'utf8')).toContain('uPlot');
    }
  });

  it('refuses samples that are of another run, what is no result, and a file that can not be written', async () => {
    const mixed = file('mixed');
    cpSync(directories[0], mixed, { recursive: true });
    cpSync(join(directories[1], 'samples'), join(mixed, 'samples'), { recursive: true });
    const unwritable = join(file('nowhere'), 'x.html');
    const reporting = (directory: string, html: string) => place.refused(['report', directory, '--html', html]);
    expect(await reporting(mixed, file('x.html'))).toEqual([named('badResult', mixed)]);
    expect(await reporting(place.folder, file('x.html'))).toEqual([named('badResult', place.folder)]);
    expect(await reporting(directories[0], unwritable)).toEqual([named('badOption', '--html', unwritable)]);
  });
});
