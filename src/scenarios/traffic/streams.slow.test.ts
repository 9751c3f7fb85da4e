import { describe, expect, it } from 'vitest';
import { soundResult, targetFlags } from '../../../test/latency.js';
import { clients, each, faultless, place, schedule, sizes, streams, warmUp } from '../../../test/runs/streams.js';
import { metronomeRecord } from '../../targets/metronome/record.js';
import { StreamTable } from './streams.js';

describe.concurrent('broadcasts to many streams', () => {
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
