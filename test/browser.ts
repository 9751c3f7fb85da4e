import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';
import { afterAll, describe } from 'vitest';

const path = process.env.CHROMIUM_BIN ?? '/usr/bin/chromium';
const isThere = existsSync(path);
const flags = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** A `describe` of tests that need Chromium; where there is none they are skipped, and say so. */
export const describeInBrowser = isThere
  ? describe
  : (name: string, tests: () => void) =>
      describe.skip(`${name} (skipped: no Chromium at ${path}, see CHROMIUM_BIN)`, tests);

/** A page of a context of its own, and what it did that nobody asked for. */
export interface Visit {
  context: BrowserContext;
  page: Awaited<ReturnType<BrowserContext['newPage']>>;
  /** Errors and warnings of its console, and what it threw. */
  complaints: string[];
  /** Addresses that it asked for and that `isAllowed` did not let through. */
  refused: string[];
}

/** One browser of a test file, started at its first visit and ended after its last test. */
export function browser(): {
  visit(isAllowed: (url: string) => boolean, options?: BrowserContextOptions): Promise<Visit>;
} {
  let started: Promise<Browser> | undefined;
  afterAll(async () => {
    const ending = started;
    started = undefined;
    await (await ending)?.close();
  });
  return {
    async visit(isAllowed, options = {}) {
      started ??= chromium.launch({ executablePath: path, args: flags });
      const context = await (await started).newContext(options);
      const visit: Visit = { context, page: await context.newPage(), complaints: [], refused: [] };
      visit.page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) visit.complaints.push(message.text());
      });
      visit.page.on('pageerror', (error) => visit.complaints.push(error.message));
      await context.route('**', async (route) => {
        const url = route.request().url();
        if (isAllowed(url)) return route.continue();
        visit.refused.push(url);
        return route.abort();
      });
      return visit;
    },
  };
}
