import { describe, expect, it } from 'vitest';
import { soundResult, targetFlags } from '../../../test/latency.js';
import { keptResult, workplace } from '../../../test/workplace.js';
import { metronomeRecord } from '../../targets/metronome/record.js';
import { StreamTable } from './streams.js';

const place = workplace();
const [clients, streams, each, broadcasts, warmUp] = [31, 7, 3, 35, 7];
const sizes = ['--clients', `${clients}`, '--streams', `${streams}`, '--streams-per-client', `${each}`];
const schedule = [
  '--warm-up',
  `${warmUp}`,
  '--rate',
  '50/s',
  '--drain',
  '5s',
  '--ramp-rate',
  '500/s',
  '--seed',
  '7919',
];
const faultless = { refused: 0, failed: 0, lost: 0, duplicate: 0, outOfOrder: 0, late: 0, wrongStream: 0 };

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

  it('are more to the first streams, and are owed by the seed, over two shards', async () => {
    const zipf = ['--stream-distribution', 'zipf', '--duration', '1s', '--publish', 'clients'];
    const args = ['run', 'throughput', '--target', 'ws', ...sizes, ...schedule, ...zipf];
    const result = soundResult(await place.measure(args, 2));
    const table = new StreamTable(
      { streams, streamsPerClient: each, streamDistribution: 'zipf' },
      { seed: 7919, stream: 'ring', firstClient: 0, clientCount: clients, broadcasts: warmUp + 50 },
    );
    let owed = 0;
    for (let client = 0; client < clients; client++)
      for (let sequence = warmUp; sequence < warmUp + 50; sequence++) if (table.has(client, sequence)) owed++;
    expect(result.ledger).toMatchObject({ ...faultless, attempted: 50, acked: 50, expected: owed, delivered: owed });
    expect(result.ledger.backlogPeak).toBeGreaterThanOrEqual(0);
  });

  it('are lost and doubled as the target says itself', async () => {
    const target = await place.serve('servers/metronome/main.js', ['--drop=0.05', '--duplicate=0.07', '--seed=7']);
    const args = ['run', 'latency', ...targetFlags(target), ...sizes, ...schedule, '--broadcasts', '70'];
    const result = soundResult(await place.measure(args, 1));
    const answer = await fetch(`http://127.0.0.1:${target.port}/_record?from=${warmUp}`);
    const { totals } = metronomeRecord.parse(await answer.json());
    const owed = (70 / streams) * clients * each;
    expect(totals.dropped * totals.duplicated).toBeGreaterThan(0);
    expect(result.ledger).toMatchObject({ expected: owed, lost: totals.dropped, duplicate: totals.duplicated });
  });
});

it('each is probed at the end of an idle run, and proves its clients', async () => {
  const args = ['run', 'idle', '--target', 'ws', ...sizes, '--duration', '1s', '--settle', '0s'];
  const { ledger } = keptResult(await place.measure(args, 2));
  expect(ledger).toMatchObject({ asked: clients, opened: clients, held: clients, proven: clients, lost: 0 });
});
