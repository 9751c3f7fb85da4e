import { describe, expect, it } from 'vitest';
import { doors } from '../../testing/doors.js';
import { soundResult, targetFlags } from '../../testing/latency.js';
import { workplace } from '../../testing/workplace.js';

const place = workplace();
const door = doors();

/** 310 broadcasts at 200 a second, 3 of them warm-up. */
const sizes = ['--subscribers', '23', '--broadcasts', '307', '--rate', '200/s', '--warm-up', '3', '--publishers', '3'];
const flags = ['--publish', 'in-process', ...sizes, '--ramp-rate', '500/s', '--drain', '10s'];
const faultless = { refused: 0, failed: 0, lost: 0, duplicate: 0, outOfOrder: 0, late: 0, latePublishes: 0 };

/** An address that hands batches on to a target, and tells of each request how many broadcasts it carried. */
async function counting(port: number, seen: (path: string, broadcasts: number) => void): Promise<string> {
  const count = (path: string, body: Buffer): void =>
    seen(path, (JSON.parse(body.toString()) as { data: unknown[] }).data.length);
  return `http://127.0.0.1:${await door.posts(port, count)}/_publish-in-process`;
}

describe('broadcasts that a target publishes by itself', () => {
  it.each([
    ['ws', ['--workers', '2']],
    ['uws', ['--target-processes', '2']],
    ['socketio', []],
  ] as const)('%s: all reach all over two shards, counted and not timed', async (target, more) => {
    const ended = await place.run(['run', 'throughput', '--target', target, ...flags, '--local-shards', '2', ...more]);
    const result = soundResult(ended);
    expect(result.ledger).toMatchObject({ ...faultless, attempted: 307, acked: 307, delivered: 307 * 23 });
    // Six loops of 33 broadcasts a second each have 51 or 52: two batches.
    expect(result.ledger.batches).toBe(12);
    for (const name of ['delivery', 'deliveryFromIntended', 'deliveryAtLeast', 'publishAck', 'drain'])
      expect([name, result.metrics[name]?.count]).toEqual([name, 0]);
    expect(result.stop.code).toBe('completed');
    expect(result.verdict.rig).not.toBe('void');
    expect(result.ledger.achievedPerSecond).toBeGreaterThan(0);
    expect(result.environment.timeline.published).toBeUndefined();
    expect(result.environment.gauges.map(({ name }) => name)).not.toContain('backlog');
    expect(ended.stdout.match(/a diagnostic: the target published by itself/g)).toHaveLength(1);
    expect(ended.stdout).not.toContain('backlog');
  });

  it('come to it in one request for each batch, and in no other', async () => {
    const target = await place.serve('servers/ws/main.js');
    const seen: [string, number][] = [];
    const url = await counting(target.port, (...each) => void seen.push(each));
    const run = ['run', 'throughput', ...targetFlags(target), '--in-process-url', url, ...flags];
    const result = soundResult(await place.run(run));
    expect(result.ledger).toMatchObject({ ...faultless, acked: 307, delivered: 307 * 23, batches: 6 });
    // Three loops of 66 a second.
    expect(seen.map(([, broadcasts]) => broadcasts).sort((a, b) => a - b)).toEqual([37, 37, 38, 66, 66, 66]);
    expect(new Set(seen.map(([path]) => path))).toEqual(new Set(['/_publish-in-process']));
  });

  it('are in the books, too, when it dies in the middle of a batch', async () => {
    const target = await place.serve('servers/ws/main.js');
    let batches = 0;
    const url = await counting(target.port, () => {
      if (++batches === 4) target.command.kill('SIGKILL');
    });
    const run = ['run', 'throughput', ...targetFlags(target), '--in-process-url', url, ...flags];
    const result = soundResult(await place.run(run));
    expect(result.stop.code).toBe('targetGone');
    const { acked = 0, failed = 0, refused = 0 } = result.ledger as Record<string, number>;
    // Three batches at most were answered, the 3 of the warm-up in them; the fourth was handed over.
    expect(acked).toBeLessThanOrEqual(3 * 66 - 3);
    expect(failed + refused).toBeGreaterThanOrEqual(66);
  });

  it('are refused before the run where the target has no endpoint for them', async () => {
    const ours = await place.run(['run', 'throughput', '--target', 'metronome', '--publish', 'in-process']);
    expect(ours).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('publishes by itself') });
    const brought = [
      '--target-url',
      'ws://127.0.0.1:9/ws',
      '--protocol',
      'ws-json',
      '--publish-url',
      'http://127.0.0.1:9/',
    ];
    const theirs = await place.run(['run', 'throughput', ...brought, '--publish', 'in-process']);
    expect(theirs).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--in-process-url') });
  });
});
