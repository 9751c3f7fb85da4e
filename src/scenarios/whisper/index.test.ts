import { describe, expect, it } from 'vitest';
import { expectGolden, ledgerText } from '../../../test/golden.js';
import { naming } from '../../../test/refusal.js';
import { audienceOnStage } from '../../../test/stage/whisper.js';
import { loadOptions } from '../load-options.js';
import { whisper, whisperLedger } from './index.js';

/** Two rooms of three and two; the first sender lost one delivery of six. */
const footing = () => ({
  counts: { attempted: 13, unsent: 1, untimed: 2 } as Record<string, number>,
  causes: { unsent: { gone: 1 } } as Record<string, Record<string, number>>,
  timeline: {},
  longestMs: { deliveries: 3003 },
  series: {
    sends: Uint32Array.of(3, 3, 3, 2, 2),
    peers: Uint32Array.of(2, 2, 2, 1, 1),
    heard: Uint32Array.of(5, 6, 6, 2, 2),
    marked: Uint32Array.of(5, 6, 6, 2, 2),
  },
});

describe('the ledger of whispers', () => {
  it('foots', async () => {
    const { entries, breaks } = whisperLedger.ledger(footing());
    expect(breaks).toEqual([]);
    expect(entries).toMatchObject({ sent: 13, expected: 22, delivered: 21, lost: 1 });
    await expectGolden('ledger/whisper.txt', { 'a whole run': ledgerText(whisperLedger.ledgerLines(entries)) });
    expect(whisperLedger.ledger({ counts: {}, causes: {}, series: {}, timeline: {} }).breaks).toEqual([]);
  });

  it.each(['heard', 'marked', 'sends'] as const)('breaks when a count of %s is off by one', (name) => {
    for (const off of [-1, 1]) {
      const sums = footing();
      const series = sums.series[name];
      series[3] = (series[3] as number) + off;
      expect(whisperLedger.ledger(sums).breaks).not.toEqual([]);
    }
  });

  it('breaks when what was not sent has other causes', () => {
    expect(whisperLedger.ledger({ ...footing(), causes: { unsent: { unread: 3 } } }).breaks).toEqual([
      naming('unsent 1', 'causes', 3),
    ]);
  });

  it('breaks when more were sent than senders tell', () => {
    const sums = footing();
    sums.counts.attempted = 14;
    expect(whisperLedger.ledger(sums).breaks).toEqual([naming('sent 14', 'senders', 13)]);
  });
});

describe('the declaration of the whisper scenario', () => {
  it('demands the ramp, the schedule with its warm-up, and the drain', () => {
    const options = whisper.options.parse({
      ...{ clients: 1009, rampRatePerSecond: 250, durationMs: 7000, ratePerSecond: 2, warmUp: 3, drainMs: 1999 },
    });
    expect(whisper.demand(options, loadOptions.parse({}))).toMatchObject({
      clients: 1009,
      publishesPerSecond: 0,
      durationMs: 4036 + 8500 + 1999,
    });
  });

  it('refuses a room whose whispers are too many to number, and one alone that has so many clients', () => {
    const of = (clients: number, room: number) =>
      whisper.contradictions?.(
        whisper.options.parse({ clients, room, ratePerSecond: 1000, durationMs: 101_000, warmUp: 1 }),
      );
    expect(of(10_000, 9901)).toEqual([naming('--room:', 9900, '101,001', 9901)]);
    expect([of(10_000, 9900), of(2, 10_000), of(9900, 10_000)]).toEqual([[], [], []]);
    expect(of(9901, 10_000)).toHaveLength(1);
  });

  it('names every distribution that a worker records, and the figure of those that are ready', () => {
    const { audience } = audienceOnStage();
    expect(audience.progress()).toHaveProperty('subscribers');
    const { samples, counts } = audience.report();
    expect(Object.keys(samples).sort()).toEqual(Object.keys(whisper.metrics).sort());
    expect(counts).toHaveProperty('subscribers');
  });
});
