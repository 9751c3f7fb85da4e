import { describe, expect, it } from 'vitest';
import type { StopCode } from '../../contract/stop-reasons.js';
import { broadcastBooks, countNth, latencyFlags, soundResult, targetFlags } from '../../testing/latency.js';
import { workplace } from '../../testing/workplace.js';

const place = workplace();

/** Runs against a faulty target, which must be left without a client. */
async function measure(faults: string[], flags: string[]) {
  const target = await place.serve('src/testing/faulty-target.js', faults);
  const driver = place.ringside(['run', 'latency', ...targetFlags(target), ...flags]);
  const ended = await driver.ended;
  expect(driver.family()).toEqual([]);
  return { ended, result: soundResult(ended), target };
}

describe.concurrent('a target that does wrong by a known rule', () => {
  it.each([1, 3])('is found out to the last delivery by %i shard(s)', async (shards) => {
    const faults = ['--drop-every', '7', '--twice-every', '5', '--delay', '43'];
    const flags = [...latencyFlags(31, 23), '--drain', '2s', '--local-shards', String(shards)];
    const { ended, result } = await measure(faults, flags);
    const [first, end] = [3 * 31, 26 * 31];
    const lost = countNth(first, end, 7);
    expect(result.ledger).toEqual({
      attempted: 23,
      acked: 23,
      refused: 0,
      failed: 0,
      expected: 31 * 23,
      delivered: 31 * 23 - lost,
      lost,
      duplicate: countNth(first, end, 5) - countNth(first, end, 35),
      outOfOrder: 0,
      late: 0,
    });
    expect(result.stop.code).toBe('completed');
    expect([0, 4]).toContain(ended.code);
    const { delivery, deliveryFromIntended, deliveryAtLeast, publishAck } = result.metrics;
    expect(delivery?.min).toBeGreaterThanOrEqual(43_000);
    for (const name of ['p50', 'p90', 'max'] as const) {
      expect(delivery?.[name], name).toBeGreaterThanOrEqual(43_000);
      expect(deliveryFromIntended?.[name], name).toBeGreaterThanOrEqual(delivery?.[name] as number);
      expect(deliveryAtLeast?.[name], name).toBeLessThanOrEqual(delivery?.[name] as number);
    }
    // Each shard times the deliveries of its own broadcasts: with one shard, all of them.
    if (shards === 1) expect(delivery?.count).toBe(31 * 23 - lost);
    expect(publishAck?.count).toBe(23);
  });

  it('is seen to swap broadcasts', async () => {
    // One publish at a time: of two that overlap none comes first.
    const { result } = await measure(['--swap-every', '11'], [...latencyFlags(7, 31), '--max-in-flight', '1']);
    expect(result.ledger).toMatchObject({ delivered: 7 * 31, lost: 0, outOfOrder: 7 * countNth(3, 34, 11) });
  });
});

describe.concurrent('a target that fails while its run goes to its end', () => {
  const lostAll = ['--drop-every', '1'];
  const refused = countNth(3, 26, 7);

  it.each<[string, string[], string[], StopCode, number]>([
    ['delivers nothing', lostAll, [], 'nothingDelivered', 4],
    ['delivers nothing where that is expected', lostAll, ['lost>0'], 'completed', 0],
    ['refuses a part', ['--refuse-every', '7'], [], 'publishesShort', 3],
    ['refuses more than is allowed', ['--refuse-every', '7'], [`refused<${refused}`], 'publishesShort', 3],
    ['refuses a part that is allowed', ['--refuse-every', '7'], [`refused<=${refused}`], 'completed', 0],
  ])('%s', async (_name, faults, thresholds, stop, code) => {
    const promised = thresholds.flatMap((text) => ['--threshold', text]);
    const { ended, result } = await measure(faults, [...latencyFlags(7, 23), '--drain', '1s', ...promised]);
    expect(result.stop.code).toBe(stop);
    const isRefused = faults[0] === '--refuse-every';
    const acked = isRefused ? 23 - refused : 23;
    expect(result.ledger).toMatchObject({ attempted: 23, acked, refused: 23 - acked, failed: 0 });
    expect(result.ledger).toMatchObject({ expected: 7 * acked, delivered: isRefused ? 7 * acked : 0 });
    const rules = result.verdict.evidence.map(({ rule }) => rule);
    expect([rules.includes('nothing-delivered'), rules.includes('cut-short')]).toEqual([code === 4, false]);
    // A rig without a core of its own limits the run, and that is graver.
    expect([code, 4]).toContain(ended.code);
  });
});

interface Fault {
  faults: string[];
  flags: string[];
  stop: StopCode;
  evidence: string;
  ledger: Record<string, number>;
}

const nothingTaken = { acked: 0, expected: 0, delivered: 0, lost: 0 };
const nothing = { ...nothingTaken, attempted: 0, refused: 0, failed: 0 };

describe.concurrent('a target that cannot be measured', () => {
  it.each<[string, Fault]>([
    [
      'refuses the upgrade',
      {
        faults: ['--upgrade-status', '503'],
        flags: [],
        stop: 'refused',
        evidence: 'http-status:503 × 7',
        ledger: nothing,
      },
    ],
    [
      'refuses after the upgrade',
      {
        faults: ['--close-code', '1008'],
        flags: [],
        stop: 'refused',
        evidence: 'close-code:1008 × 7',
        ledger: nothing,
      },
    ],
    [
      'confirms no subscription',
      {
        faults: ['--no-confirm'],
        flags: ['--subscribe-timeout', '503ms'],
        stop: 'handshakeTimeouts',
        evidence: 'subscribe-timeout × 7',
        ledger: nothing,
      },
    ],
    [
      'answers every publish with 500',
      {
        faults: ['--publish-status', '500'],
        // A schedule that ends by itself long after.
        flags: ['--broadcasts', '499'],
        stop: 'publishRefused',
        evidence: 'none of the first 10 publishes was acked',
        ledger: nothingTaken,
      },
    ],
    [
      'answers no publish',
      {
        faults: ['--mute'],
        flags: ['--publish-timeout', '503ms', '--broadcasts', '499'],
        stop: 'publishFailed',
        evidence: 'none of the first 10 publishes was acked',
        ledger: nothingTaken,
      },
    ],
  ])('%s', async (_name, { faults, flags, stop, evidence, ledger }) => {
    const { ended, result } = await measure(faults, [...latencyFlags(7, 23), '--drain', '1s', ...flags]);
    expect(ended.code).toBe(4);
    expect(result.stop.code).toBe(stop);
    expect(result.stop.evidence.join()).toContain(evidence);
    expect(result.ledger).toMatchObject(ledger);
    expect(result.verdict.rig).toBe('void');
  });

  it('takes no publish, and is not published to until the schedule is over', async () => {
    const { ended, result } = await measure(['--publish-status', '404'], latencyFlags(7, 99_991));
    expect(ended.code).toBe(4);
    expect(result.stop.code).toBe('publishRefused');
    expect(ended.stdout).toContain('--publish-url');
    const { attempted = 0, refused = 0, failed = 0 } = result.ledger as Record<string, number>;
    expect(attempted).toBe(refused + failed);
    expect(attempted).toBeLessThan(99_991);
    expect(result.shards).toMatchObject([{ state: 'partial', why: 'ended by the driver' }]);
  });

  it.each([
    ['ends by itself', '--exit-after'],
    ['cuts every client', '--cut-after'],
  ])('%s while it is published to', async (_name, fault) => {
    const { ended, result } = await measure([fault, '67'], latencyFlags(7, 499));
    expect(ended.code).toBe(4);
    expect(result.stop.code).toBe('targetGone');
    expect(result.stop.evidence.join()).toContain('every client of a worker was cut');
    expect(result.verdict.rig).toBe('void');
    expect(result.shards).toMatchObject([{ state: 'partial', result: { stop: { code: 'targetGone' } } }]);
    const { attempted, delivered } = broadcastBooks(result);
    // Three of the sixty-seven broadcasts before the fault are warm-up; the last acks may be lost with the connections, more of them where all had been held up.
    expect([delivered > 0, delivered <= 7 * 64, delivered % 7]).toEqual([true, true, 0]);
    expect(attempted).toBeLessThan(499);
  });
});
