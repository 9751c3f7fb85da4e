import { expect, it } from 'vitest';
import { describeInBrowser } from '../../../test/browser.js';
import { place, visit, watched } from '../../../test/runs/watch.js';

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
});
