import { describe, expect, it } from 'vitest';
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
} from '../../../test/runs/known-truth.js';
import type { StopCode } from '../../contract/stop-reasons.js';

describe.concurrent('a target that does wrong by a known rule', () => {
  it('is found out to the last delivery by 3 shards', () => foundOut(3));
});

describe.concurrent('a target that fails while its run goes to its end', () => {
  it('delivers nothing', () => fallsShort(lostAll, [], 'nothingDelivered', 'rig'));
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
});
