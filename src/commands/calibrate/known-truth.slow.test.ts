import { describe, expect, it } from 'vitest';
import { recordOf } from '../../../test/known-truth.js';
import { latencyFlags } from '../../../test/latency.js';
import {
  door,
  expectVoid,
  fallsShort,
  foundOut,
  hitInTheMiddle,
  lostAll,
  measure,
  nothing,
  nothingTaken,
  refusing,
  serveMetronome,
} from '../../../test/runs/known-truth.js';
import type { ExitName } from '../../contract/exit-codes.js';
import type { StopCode } from '../../contract/stop-reasons.js';

describe.concurrent('a target that does wrong by a known rule', () => {
  it('is found out to the last delivery by one shard', () => foundOut(1));

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
  it('delivers nothing', () => fallsShort(lostAll, [], 'nothingDelivered', 'rig'));

  it.each<[string, string, string[], StopCode, ExitName]>([
    ['delivers nothing where that is expected', lostAll, ['lost>0'], 'completed', 'clean'],
    ['refuses more than is allowed', refusing, ['refused<1'], 'publishesShort', 'threshold'],
    ['refuses a part that is allowed', refusing, ['refused<=23'], 'completed', 'clean'],
    ['refuses a part', refusing, [], 'publishesShort', 'threshold'],
  ])('%s', async (_name, order, thresholds, stop, exit) => fallsShort(order, thresholds, stop, exit));
});

describe.concurrent('a target that cannot be measured', () => {
  it.each<[string, string[], string[], StopCode, string | undefined, Record<string, number>]>([
    ['refuses the upgrade', ['--refuse=1'], [], 'refused', 'http-status:503 × 7', nothing],
    [
      'confirms no subscription',
      ['--take=0', '--wall=deaf'],
      ['--subscribe-timeout', '503ms'],
      'handshakeTimeouts',
      'subscribe-timeout × 7',
      nothing,
    ],
    // A schedule that ends by itself long after.
    [
      'refuses every publish',
      ['--refuse-publish=1'],
      ['--broadcasts', '499'],
      'publishRefused',
      undefined,
      nothingTaken,
    ],
  ])('%s', async (_name, orders, flags, stop, cause, ledger) => {
    const measured = await measure(orders, [...latencyFlags(7, 23), '--drain', '1s', ...flags]);
    expectVoid(measured, stop, cause);
    expect(measured.result.ledger).toMatchObject(ledger);
  });

  it('answers no publish', async () => {
    const publishUrl = `http://127.0.0.1:${await door.mute()}/_broadcast`;
    const flags = ['--broadcasts', '499', '--publish-timeout', '503ms', '--publish-url', publishUrl, '--drain', '1s'];
    const measured = await measure([], [...latencyFlags(7, 23), ...flags]);
    expectVoid(measured, 'publishFailed', 'answer-timeout × ');
    expect(measured.result.ledger).toMatchObject(nothingTaken);
  });

  it('ends while it is published to', () => hitInTheMiddle(({ command }) => command.kill('SIGKILL')));

  it('refuses after the upgrade', async () => {
    const measured = await measure(['--take=0', '--wall=close'], [...latencyFlags(7, 23), '--drain', '1s']);
    expectVoid(measured, 'refused', 'close-code:1013 × 7');
    expect(measured.result.ledger).toMatchObject(nothing);
  });

  it('takes no publish, and is not published to until the schedule is over', async () => {
    const target = await serveMetronome();
    const nowhere = ['--publish-url', `http://127.0.0.1:${target.port}/nowhere`];
    const measured = await measure([], [...latencyFlags(7, 99_991), ...nowhere], target);
    expectVoid(measured, 'publishRefused');
    const { attempted = 0, refused = 0, failed = 0 } = measured.result.ledger as Record<string, number>;
    expect(attempted).toBe(refused + failed);
    expect(attempted).toBeLessThan(99_991);
    expect(measured.result.shards).toMatchObject([{ state: 'partial' }]);
  });

  it('cuts every client while it is published to', () =>
    hitInTheMiddle(({ port }) => fetch(`http://127.0.0.1:${port}/_close`, { method: 'POST' })));
});
