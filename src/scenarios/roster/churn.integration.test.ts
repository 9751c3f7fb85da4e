import { expect, it } from 'vitest';
import { broadcastBooks, soundResult } from '../../../test/latency.js';
import { waitsAsSeeded } from '../../../test/runs/waits.js';
import { workplace } from '../../../test/workplace.js';

const place = workplace();
const streams = ['--streams', '5', '--streams-per-client', '5'];
const sizes = ['--clients', '13', '--churn', '20/s', '--rate', '20/s', '--broadcasts', '57', '--warm-up', '3'];

it.each([
  ['ws', 'native', 1],
  ['uws', 'js', 3],
])('clients of %s are replaced as planned, engine %s, %i shard(s)', async (target, engine, shards) => {
  const args = ['run', 'latency', '--target', target, '--engine', engine, ...sizes, ...streams, '--drain', '3s'];
  const result = soundResult(await place.measureWhole(args, shards));
  // Sixty come in three seconds, and replace the thirteen of the ramp first. The last may still be on its way.
  const {
    visits,
    visitsEnded = 0,
    visitsStayed = 0,
    visitsUnready = 0,
    visitsNotDue = 0,
  } = result.ledger as Record<string, number>;
  expect([visits, visitsEnded + visitsStayed + visitsUnready + visitsNotDue]).toEqual([73, 73]);
  expect(result.ledger).toMatchObject({ visitsCut: 0, visitsFailed: 0, lost: 0, duplicate: 0, wrongStream: 0 });
  const { expected, acked } = broadcastBooks(result);
  expect(expected).toBeLessThanOrEqual(13 * acked);
  expect(expected).toBeGreaterThan(0);
});

it('clients that are cut wait as the seed says before ws, by wire', () => waitsAsSeeded('ws', 'wire', 'term'));
