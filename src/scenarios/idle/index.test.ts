import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectGolden, ledgerText } from '../../../test/golden.js';
import { naming } from '../../../test/refusal.js';
import { sumCauses, sumCounts, sumTimelines } from '../../measure/samples/sample-sum.js';
import { loadOptions } from '../load-options.js';
import type { Sums } from '../scenario.js';
import { heldLedger, idle } from './index.js';

const options = idle.options.parse({
  clients: 1009,
  rampRatePerSecond: 250,
  settleMs: 101,
  durationMs: 3001,
  stallMs: 1009,
  probeTimeoutMs: 503,
});

it('demands its connections, and the time of ramp, stall, settle, hold and probe', () => {
  expect(idle.demand(options, loadOptions.parse({}))).toMatchObject({
    clients: 1009,
    broadcasts: 3,
    durationMs: 4036 + 1009 + 101 + 3001 + 503,
  });
});

it.each([
  [10_000, 20_000, 31_000],
  [1_000_000, 90_000, 130_000],
])(
  'demands for %d connections a ramp of at most 90 s and a probe that has time for all',
  (connections, ramp, probe) => {
    const { durationMs } = idle.demand(
      idle.options.parse({ clients: connections, settleMs: 0, durationMs: 0, stallMs: 1000 }),
      loadOptions.parse({}),
    );
    expect(durationMs).toBeCloseTo(ramp + 1000 + probe, 3);
  },
);

/** 211 asked, 199 started, 193 opened; 7 cut, 3 not reached by the probe. */
const footing = (): Sums & { counts: Record<string, number> } => ({
  counts: {
    asked: 211,
    started: 199,
    opened: 193,
    open: 186,
    failed: 6,
    proven: 185,
    held: 183,
    probesAttempted: 2,
    probesAcked: 1,
  },
  causes: {
    connect: { 'http-status:503': 5, reset: 1 },
    close: { 'close-code:1001': 6, reset: 1 },
    lostInRamp: { reset: 1 },
    lostInHold: { 'close-code:1001': 5 },
    lostAtProbe: { 'close-code:1001': 1 },
  },
  timeline: { opened: [101, 92], 'failed reset': [1], 'closed close-code:1001': [0, 0, 0, 6], 'closed reset': [0, 1] },
  series: {},
});

describe('the ledger of held connections', () => {
  it('foots', () => {
    expect(heldLedger.ledger(footing())).toEqual({
      entries: {
        asked: 211,
        opened: 193,
        notOpened: 18,
        peak: 193,
        held: 183,
        proven: 185,
        lost: 10,
        lostByCause: { 'close-code:1001': 6, reset: 1, unproven: 3 },
        lostInRampByCause: { reset: 1 },
        lostInHoldByCause: { 'close-code:1001': 5 },
        lostAtProbeByCause: { 'close-code:1001': 1, unproven: 3 },
        failedByCause: { 'http-status:503': 5, reset: 1, 'not-started': 12 },
      },
      breaks: [],
    });
  });

  it.each([
    ['opened', -1],
    ['opened', 1],
    ['started', -1],
    ['started', 1],
    ['failed', 1],
    ['open', -1],
    ['open', 1],
  ])('breaks when the count %s is off by %d', (name, off) => {
    const sums = footing();
    sums.counts[name] = (sums.counts[name] as number) + off;
    expect(heldLedger.ledger(sums).breaks).not.toEqual([]);
  });

  it('breaks when a failure was not counted by cause', () => {
    const sums = footing();
    sums.causes.connect = { 'http-status:503': 5 };
    expect(heldLedger.ledger(sums).breaks).toEqual([naming('asked 211', 'opened + notOpened = 210')]);
  });

  it('breaks when an end was not counted by cause', () => {
    const sums = footing();
    sums.causes.close = { 'close-code:1001': 6 };
    expect(heldLedger.ledger(sums).breaks).toEqual([
      naming('opened 193', 'held + lost = 192'),
      naming('lost by reset 0', 'ramp + hold + probe = 1'),
    ]);
  });

  it.each(['lostInRamp', 'lostInHold', 'lostAtProbe'])('breaks when %s does not come to the same', (occasion) => {
    const sums = footing();
    sums.causes[occasion] = { ...sums.causes[occasion], 'close-code:1001': 17 };
    expect(heldLedger.ledger(sums).breaks).toEqual([naming('close-code:1001 6', 'ramp + hold + probe')]);
  });

  it('breaks when the stages have the number, but another cause', () => {
    const sums = footing();
    sums.causes.lostInRamp = { 'end-of-stream': 1 };
    expect(heldLedger.ledger(sums).breaks).toEqual([
      naming('lost by reset 1', 'ramp + hold + probe = 0'),
      naming('lost by end-of-stream 0', 'ramp + hold + probe = 1'),
    ]);
  });

  it('breaks when more are held than are open', () => {
    const sums = footing();
    sums.counts.held = 187;
    expect(heldLedger.ledger(sums).breaks).toEqual([naming('opened 193', 'held + lost = 194')]);
  });

  it('breaks when the gauge lost count of an opening', () => {
    const sums = footing();
    sums.timeline.opened = [101, 84];
    expect(heldLedger.ledger(sums).breaks).toEqual(["the gauge's peak 185 is below the 186 open at the end"]);
  });

  it('breaks when no probe was acked, unless none was attempted, or nothing was open', () => {
    const sums = footing();
    sums.counts.probesAcked = 0;
    const { asked = 0, failed = 0 } = sums.counts;
    const empty = { asked, started: failed, failed, opened: 0, open: 0, held: 0, proven: 0, probesAttempted: 3 };
    expect(
      heldLedger.ledger({ counts: empty, causes: { connect: { reset: failed } }, timeline: {}, series: {} }).breaks,
    ).toEqual([]);
    expect(heldLedger.ledger(sums).breaks).toEqual([naming('probe')]);
    sums.counts.probesAttempted = 0;
    expect(heldLedger.ledger(sums).breaks).toEqual([]);
  });

  it('of the parts foots as that of the whole', () => {
    const part = fc
      .record({
        notStarted: fc.nat({ max: 31 }),
        refused: fc.nat({ max: 31 }),
        cutInRamp: fc.nat({ max: 31 }),
        cutInHold: fc.nat({ max: 31 }),
        unproven: fc.nat({ max: 31 }),
        held: fc.nat({ max: 1009 }),
        seconds: fc.integer({ min: 1, max: 7 }),
      })
      .map(({ notStarted, refused, cutInRamp, cutInHold, unproven, held, seconds }): Sums => {
        const cut = cutInRamp + cutInHold;
        const opened = cut + unproven + held;
        const started = opened + refused;
        const open = opened - cut;
        return {
          counts: { asked: started + notStarted, started, opened, open, failed: refused, held, proven: held },
          causes: {
            connect: { 'http-status:503': refused },
            close: { reset: cut },
            lostInRamp: { reset: cutInRamp },
            lostInHold: { reset: cutInHold },
          },
          timeline: {
            opened: [...Array<number>(seconds - 1).fill(0), opened],
            'closed reset': [...Array<number>(seconds).fill(0), cut],
          },
          series: {},
        };
      });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
        const { entries, breaks } = heldLedger.ledger({
          counts: sumCounts(parts.map((each) => each.counts)),
          causes: sumCauses(parts.map((each) => each.causes)),
          timeline: sumTimelines(parts.map((each) => each.timeline)),
          series: {},
        });
        expect(breaks).toEqual([]);
        const total = (name: string) => parts.reduce((sum, { counts }) => sum + (counts[name] ?? 0), 0);
        expect(entries).toMatchObject({ asked: total('asked'), opened: total('opened'), held: total('held') });
        expect(entries.lost).toBe(total('opened') - total('held'));
      }),
    );
  });

  it('is told in sentences', async () => {
    const { entries } = heldLedger.ledger(footing());
    await expectGolden('ledger/idle.txt', { 'a whole run': ledgerText(heldLedger.ledgerLines(entries)) });
    expect(
      heldLedger
        .ledgerLines({})
        .map(([, text]) => text)
        .slice(2),
    ).toEqual(['none', 'none']);
  });
});
