import { describe, expect, it } from 'vitest';
import { expectGolden, ledgerText } from '../../../test/golden.js';
import { workerOnStage } from '../../../test/stage/worker-on-stage.js';
import { loadOptions } from '../load-options.js';
import type { Sums } from '../scenario.js';
import { connect } from './index.js';

const footing = (): Sums & { counts: Record<string, number> } => ({
  counts: { asked: 211, started: 199, opened: 193, open: 190, failed: 6 },
  causes: { connect: { 'http-status:503': 5, reset: 1 }, close: { reset: 3 } },
  timeline: {},
  series: {},
});

describe('the ledger of connections made', () => {
  it('foots', async () => {
    const ledger = connect.ledger(footing());
    expect(ledger).toEqual({
      entries: {
        asked: 211,
        started: 199,
        opened: 193,
        notOpened: 18,
        failed: 6,
        lost: 3,
        failedByCause: { 'http-status:503': 5, reset: 1 },
        lostByCause: { reset: 3 },
      },
      breaks: [],
    });
    await expectGolden('ledger/connect.txt', { 'a whole run': ledgerText(connect.ledgerLines(ledger.entries)) });
  });

  it.each([
    ['started', 2],
    ['opened', 3],
    ['failed', 2],
    ['open', 1],
  ])('breaks when the count %s is off', (name, breaks) => {
    for (const off of [-1, 1]) {
      const sums = footing();
      sums.counts[name] = (sums.counts[name] as number) + off;
      expect(connect.ledger(sums).breaks).toHaveLength(breaks);
    }
  });

  it('foots over a run in which nothing happened', () => {
    expect(connect.ledger({ counts: {}, causes: {}, timeline: {}, series: {} }).breaks).toEqual([]);
  });
});

describe('the declaration of the connect scenario', () => {
  const options = connect.options.parse({ connections: 1009, ratePerSecond: 250 });

  it('demands the time of the schedule and of the last handshake', () => {
    const load = loadOptions.parse({ connectTimeoutMs: 503, subscribeTimeoutMs: 211 });
    expect(connect.demand(options, load)).toMatchObject({ clients: 1009, durationMs: 4036 + 503 + 211 });
  });

  it('names every distribution that a worker records, and the figure of those that are ready', async () => {
    const audience = await connect.audience(workerOnStage(options).context);
    expect(audience.progress()).toHaveProperty('subscribers');
    const { samples, counts } = audience.report();
    expect(Object.keys(samples).sort()).toEqual(Object.keys(connect.metrics).sort());
    expect(counts).toHaveProperty('subscribers');
  });
});
