import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { browser, describeInBrowser } from '../../../test/browser.js';
import { pairedComparison } from '../../../test/paired-golden.js';
import { workplace } from '../../../test/workplace.js';

const place = workplace();
const { visit } = browser();
const kept = pairedComparison({ times: { ws: 1.5, uws: 1 }, starts: 3 });
const directory = join(place.folder, 'kept');
const page = join(place.folder, 'page.html');

beforeAll(() => {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'experiment.json'), JSON.stringify(kept));
});

describeInBrowser('its page in a browser', () => {
  it.each([1300, 400])('complains of nothing and needs no sideways scrolling at %i px', async (width) => {
    expect(await place.run(['report', directory, '--html', page])).toMatchObject({ code: 0 });
    const url = pathToFileURL(page).href;
    const {
      page: tab,
      complaints,
      refused,
    } = await visit((asked) => asked === url, { viewport: { width, height: 900 } });
    await tab.goto(url);
    expect(await tab.evaluate('document.documentElement.scrollWidth')).toBe(width);
    expect([complaints, refused]).toEqual([[], []]);
    const texts = await tab
      .locator('#ratios svg[role=img] text:not(.tick)')
      .evaluateAll((all) =>
        all.map((each) => each.getBoundingClientRect()).map(({ left, right, top }) => ({ left, right, top })),
      );
    const overlapping = texts.filter((one) =>
      texts.some((other) => one !== other && one.top === other.top && one.left <= other.left && one.right > other.left),
    );
    expect(overlapping).toEqual([]);
  });
});
