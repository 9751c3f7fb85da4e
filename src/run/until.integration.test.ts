import { expect, it } from 'vitest';
import { broadcastBooks, latencyFlags, soundResult } from '../../test/latency.js';
import { workplace } from '../../test/workplace.js';

const place = workplace();

it('a run ends once its figure is known, on two shards, with a ledger that adds up', async () => {
  const clients = 7;
  const until = ['--until', 'delivery.p50 +-99%', '--local-shards', '2', '--rate', '150/s'];
  const ended = await place.run(['run', 'latency', '--target', 'ws', ...latencyFlags(clients, 2000), ...until]);
  const { stop, ledger, job, metrics } = soundResult(ended);
  const { acked, delivered, lost } = broadcastBooks({ ledger });
  expect([delivered, lost]).toEqual([acked * clients, 0]);
  expect(job.until).toBe('delivery.p50 +-99%');
  expect(metrics.delivery?.intervals.p50).toHaveLength(2);
  // The machine decides how well a figure is known, and so at which check.
  if (acked < 2000)
    expect(stop).toMatchObject({ code: 'knownEnough', evidence: [expect.stringMatching(/check \d of 7$/)] });
  else expect(stop.code).toBe('completed');
}, 120_000);
