import { describe, expect, it } from 'vitest';
import { soundResult } from '../../../test/latency.js';
import { broadcasts, clients, each, faultless, place, schedule, sizes, streams } from '../../../test/runs/streams.js';
import { keptResult } from '../../../test/workplace.js';

describe.concurrent('broadcasts to many streams', () => {
  it.each([
    ['ws', 'native', 1],
    ['uws', 'js', 3],
  ])('reach the clients of each once: %s, engine %s, %i shard(s)', async (target, engine, shards) => {
    const load = ['--engine', engine, '--workers', '2', '--broadcasts', `${broadcasts}`];
    const args = ['run', 'latency', '--target', target, ...sizes, ...schedule, ...load];
    const result = soundResult(await place.measure(args, shards));
    // Each stream has five of the broadcasts, and all streams together have three clients for each client.
    const owed = (broadcasts / streams) * clients * each;
    expect(result.ledger).toEqual({
      ...faultless,
      attempted: broadcasts,
      acked: broadcasts,
      expected: owed,
      delivered: owed,
    });
    expect(result.metrics.subscribe?.count).toBe(clients);
  });
});

it('each is probed at the end of an idle run, and proves its clients', async () => {
  const args = ['run', 'idle', '--target', 'ws', ...sizes, '--duration', '1s', '--settle', '0s'];
  const { ledger } = keptResult(await place.measure(args, 2));
  expect(ledger).toMatchObject({ asked: clients, opened: clients, held: clients, proven: clients, lost: 0 });
});
