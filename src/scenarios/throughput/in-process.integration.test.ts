import { describe, expect, it } from 'vitest';
import { soundResult, targetFlags } from '../../../test/latency.js';
import { counting, faultless, flags, place } from '../../../test/runs/in-process.js';

describe.concurrent('broadcasts that a target publishes by itself', () => {
  it('come to it in one request for each batch, and in no other', async () => {
    const target = await place.serve('servers/ws/main.js');
    const seen: [string, number][] = [];
    const url = await counting(target.port, (...each) => void seen.push(each));
    const run = ['run', 'throughput', ...targetFlags(target), '--in-process-url', url, ...flags];
    const result = soundResult(await place.measure(run));
    expect(result.ledger).toMatchObject({ ...faultless, acked: 307, delivered: 307 * 23, batches: 6 });
    // Three loops of 66 a second.
    expect(seen.map(([, broadcasts]) => broadcasts).sort((a, b) => a - b)).toEqual([37, 37, 38, 66, 66, 66]);
    expect(new Set(seen.map(([path]) => path))).toEqual(new Set(['/_publish-in-process']));
  });
});
