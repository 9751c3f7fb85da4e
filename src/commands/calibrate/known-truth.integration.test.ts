import { describe, expect, it } from 'vitest';
import { doors } from '../../../test/doors.js';
import { recordOf } from '../../../test/known-truth.js';
import { broadcastBooks, latencyFlags, soundResult, targetFlags } from '../../../test/latency.js';
import { type Served, workplace } from '../../../test/workplace.js';
import { type ExitName, exitCodes } from '../../contract/exit-codes.js';
import type { StopCode } from '../../contract/stop-reasons.js';

const place = workplace();
const door = doors();
const metronome = 'servers/metronome/main.js';

/** Runs against a metronome, which must be left without a client. */
async function measure(orders: string[], flags: string[], served?: Served) {
  const target = served ?? (await place.serve(metronome, orders));
  const driver = place.ringside(['run', 'latency', ...targetFlags(target), ...flags]);
  const ended = await driver.ended;
  expect(driver.family()).toEqual([]);
  return { ended, result: soundResult(ended), target };
}

describe.concurrent('a target that does wrong by a known rule', () => {
  it.each([1, 3])('is found out to the last delivery by %i shard(s)', async (shards) => {
    const orders = ['--drop=0.14', '--duplicate=0.2', '--delay=constant:43ms', '--seed=7'];
    const flags = [...latencyFlags(31, 23), '--drain', '2s', '--local-shards', String(shards)];
    const { result, target } = await measure(orders, flags);
    const { totals } = await recordOf(target, 3);
    expect(totals).toMatchObject({ broadcasts: 23, owed: 31 * 23, pending: 0, isWhole: true });
    expect(totals.dropped * totals.duplicated).toBeGreaterThan(0);
    expect(result.ledger).toEqual({
      attempted: 23,
      acked: 23,
      refused: 0,
      failed: 0,
      expected: 31 * 23,
      delivered: totals.delivered,
      lost: totals.dropped,
      duplicate: totals.duplicated,
      outOfOrder: 0,
      late: 0,
    });
    expect(result.stop.code).toBe('completed');
    const { delivery, deliveryFromIntended, deliveryAtLeast, publishAck } = result.metrics;
    expect(delivery?.min).toBeGreaterThanOrEqual(43_000);
    for (const name of ['p50', 'p90', 'max'] as const) {
      expect(delivery?.[name], name).toBeGreaterThanOrEqual(43_000);
      expect(deliveryFromIntended?.[name], name).toBeGreaterThanOrEqual(delivery?.[name] as number);
      expect(deliveryAtLeast?.[name], name).toBeLessThanOrEqual(delivery?.[name] as number);
    }
    // Each shard times the deliveries of its own broadcasts: with one shard, all of them.
    if (shards === 1) expect(delivery?.count).toBe(totals.delivered);
    expect(publishAck?.count).toBe(23);
  });

  it('is seen to swap broadcasts', async () => {
    // One publish at a time: of two that overlap none comes first.
    const flags = [...latencyFlags(7, 31), '--max-in-flight', '1'];
    const { result, target } = await measure(['--reorder=0.1', '--seed=7'], flags);
    const { totals } = await recordOf(target, 3);
    expect(totals.reordered).toBeGreaterThan(0);
    expect(result.ledger).toMatchObject({ delivered: 7 * 31, lost: 0, outOfOrder: totals.reordered });
  });
});

describe.concurrent('a target that fails while its run goes to its end', () => {
  const lostAll = '--drop=1';
  const refusing = '--refuse-publish=0.3';

  it.each<[string, string, string[], StopCode, ExitName]>([
    ['delivers nothing', lostAll, [], 'nothingDelivered', 'rig'],
    ['delivers nothing where that is expected', lostAll, ['lost>0'], 'completed', 'clean'],
    ['refuses a part', refusing, [], 'publishesShort', 'threshold'],
    ['refuses more than is allowed', refusing, ['refused<1'], 'publishesShort', 'threshold'],
    ['refuses a part that is allowed', refusing, ['refused<=23'], 'completed', 'clean'],
  ])('%s', async (_name, order, thresholds, stop, exit) => {
    const asked = thresholds.flatMap((text) => ['--threshold', text]);
    const flags = [...latencyFlags(7, 23), '--drain', '1s', ...asked];
    const { ended, result, target } = await measure([order, '--seed=7'], flags);
    const { totals } = await recordOf(target, 3);
    const refused = totals.refusedPublishes;
    const acked = 23 - refused;
    expect(result.stop.code).toBe(stop);
    expect(refused > 0).toBe(order === refusing);
    expect(result.ledger).toMatchObject({ attempted: 23, acked, refused, failed: 0, expected: 7 * acked });
    expect(result.ledger).toMatchObject({ delivered: order === refusing ? 7 * acked : 0 });
    const rules = result.verdict.evidence.map(({ rule }) => rule);
    expect([rules.includes('nothing-delivered'), rules.includes('cut-short')]).toEqual([exit === 'rig', false]);
    // A rig without a core of its own limits the run, and that is graver.
    const code = exitCodes[result.verdict.rig === 'clean' ? exit : 'rig'].code;
    expect(ended.code).toBe(code);
  });
});

interface Fault {
  orders: string[];
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
        orders: ['--refuse=1'],
        flags: [],
        stop: 'refused',
        evidence: 'http-status:503 × 7',
        ledger: nothing,
      },
    ],
    [
      'refuses after the upgrade',
      {
        orders: ['--take=0', '--wall=close'],
        flags: [],
        stop: 'refused',
        evidence: 'close-code:1013 × 7',
        ledger: nothing,
      },
    ],
    [
      'confirms no subscription',
      {
        orders: ['--take=0', '--wall=deaf'],
        flags: ['--subscribe-timeout', '503ms'],
        stop: 'handshakeTimeouts',
        evidence: 'subscribe-timeout × 7',
        ledger: nothing,
      },
    ],
    [
      'refuses every publish',
      {
        orders: ['--refuse-publish=1'],
        // A schedule that ends by itself long after.
        flags: ['--broadcasts', '499'],
        stop: 'publishRefused',
        evidence: 'none of the first 10 publishes was acked',
        ledger: nothingTaken,
      },
    ],
  ])('%s', async (_name, { orders, flags, stop, evidence, ledger }) => {
    const { ended, result } = await measure(orders, [...latencyFlags(7, 23), '--drain', '1s', ...flags]);
    expect(ended.code).toBe(4);
    expect(result.stop.code).toBe(stop);
    expect(result.stop.evidence.join()).toContain(evidence);
    expect(result.ledger).toMatchObject(ledger);
    expect(result.verdict.rig).toBe('void');
  });

  it('answers no publish', async () => {
    const publishUrl = `http://127.0.0.1:${await door.mute()}/_broadcast`;
    const flags = ['--broadcasts', '499', '--publish-timeout', '503ms', '--publish-url', publishUrl, '--drain', '1s'];
    const { ended, result } = await measure([], [...latencyFlags(7, 23), ...flags]);
    expect(ended.code).toBe(4);
    expect(result.stop.code).toBe('publishFailed');
    expect(result.stop.evidence.join()).toContain('answer-timeout × ');
    expect(result.ledger).toMatchObject(nothingTaken);
    expect(result.verdict.rig).toBe('void');
  });

  it('takes no publish, and is not published to until the schedule is over', async () => {
    const target = await place.serve(metronome);
    const nowhere = ['--publish-url', `http://127.0.0.1:${target.port}/nowhere`];
    const { ended, result } = await measure([], [...latencyFlags(7, 99_991), ...nowhere], target);
    expect(ended.code).toBe(4);
    expect(result.stop.code).toBe('publishRefused');
    expect(ended.stdout).toContain('--publish-url');
    const { attempted = 0, refused = 0, failed = 0 } = result.ledger as Record<string, number>;
    expect(attempted).toBe(refused + failed);
    expect(attempted).toBeLessThan(99_991);
    expect(result.shards).toMatchObject([{ state: 'partial', why: 'ended by the driver' }]);
  });

  it.each([
    ['ends', ({ command }: Served) => command.kill('SIGKILL')],
    ['cuts every client', ({ port }: Served) => fetch(`http://127.0.0.1:${port}/_close`, { method: 'POST' })],
  ])('%s while it is published to', async (_name, fault) => {
    const target = await place.serve(metronome);
    let published = 0;
    const port = await door.posts(target.port, () => (++published === 68 ? fault(target) : undefined));
    const flags = [...latencyFlags(7, 499), '--publish-url', `http://127.0.0.1:${port}/_broadcast`];
    const { ended, result } = await measure([], flags, target);
    expect(ended.code).toBe(4);
    expect(result.stop.code).toBe('targetGone');
    expect(result.stop.evidence.join()).toContain('every client of a worker was cut');
    expect(result.verdict.rig).toBe('void');
    expect(result.shards).toMatchObject([{ state: 'partial', result: { stop: { code: 'targetGone' } } }]);
    const { attempted, delivered } = broadcastBooks(result);
    // Three of the sixty-seven broadcasts before the fault are warm-up; the last acks may be lost with the connections, more of them where all had been held up.
    expect([delivered > 0, delivered <= 7 * 64]).toEqual([true, true]);
    expect(attempted).toBeLessThan(499);
  });
});
