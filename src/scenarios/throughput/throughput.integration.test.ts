import { describe, expect, it } from 'vitest';
import { soundResult, targetFlags } from '../../../test/latency.js';
import { place, run, warmUp } from '../../../test/runs/throughput.js';
import { metronomeRecord } from '../../targets/metronome/record.js';

describe.concurrent('broadcasts that a target takes', () => {
  it('by their duration are as many as the rate makes', async () => {
    const args = ['--clients', '7', '--rate', '97/s', '--duration', '1s', '--ramp-rate', '500/s'];
    const result = soundResult(await place.measure(['run', 'throughput', '--target', 'ws', ...args]));
    expect(result.ledger).toMatchObject({ attempted: 97, expected: 97 * 7, delivered: 97 * 7 });
  });
});

describe.concurrent('broadcasts that a target of known truth spoils', () => {
  it('are lost, doubled and refused as it says itself, over two shards', async () => {
    const orders = ['--drop=0.03', '--duplicate=0.05', '--refuse-publish=0.07', '--seed=7'];
    const target = await place.serve('servers/metronome/main.js', orders);
    const result = await run(targetFlags(target), {}, 2);
    const answer = await fetch(`http://127.0.0.1:${target.port}/_record?from=${warmUp}`);
    const { totals } = metronomeRecord.parse(await answer.json());
    expect(totals.dropped * totals.duplicated * totals.refusedPublishes).toBeGreaterThan(0);
    expect(result.ledger).toMatchObject({
      attempted: 101,
      acked: totals.broadcasts,
      refused: totals.refusedPublishes,
      expected: totals.owed,
      delivered: totals.delivered,
      lost: totals.dropped,
      duplicate: totals.duplicated,
      late: 0,
    });
    expect(totals.owed).toBe(totals.broadcasts * 23);
  });
});
