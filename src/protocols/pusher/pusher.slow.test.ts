import { describe, expect, it } from 'vitest';
import { latencyFlags, soundResult } from '../../../test/latency.js';
import { keptResult, workplace } from '../../../test/workplace.js';

const place = workplace();

/** Runs against a metronome as a server of somebody else, with a secret in the environment of the run alone. */
async function run(flags: readonly string[], RINGSIDE_PUSHER_SECRET?: string, scenario = 'latency', shards = 1) {
  const { port } = await place.serve('servers/metronome/main.js', ['--protocol', 'pusher', '--drop=0.1', '--seed=7']);
  const at = ['--target-url', `ws://127.0.0.1:${port}`, '--publish-url', `http://127.0.0.1:${port}`];
  const all = ['run', scenario, '--protocol', 'pusher', ...at, ...latencyFlags(7, 53), ...flags];
  return place.measure(all, shards, { RINGSIDE_PUSHER_SECRET });
}

describe.concurrent('a Pusher server', () => {
  it.each([
    ['wire', 'presence'],
    ['library', 'public'],
  ])('is measured by %s clients in %s channels', async (client, channel) => {
    const ended = await run(['--client', client, '--pusher-channel', channel]);
    const result = soundResult(ended);
    expect(result.stop.code).toBe('completed');
    const { acked, expected, lost = 0, delivered = 0 } = result.ledger as Record<string, number>;
    expect([acked, expected, delivered + lost]).toEqual([53, 53 * 7, 53 * 7]);
    expect(lost).toBeGreaterThan(0);
    expect(result.target.settings).toMatchObject({ pusherChannel: channel });
  });

  it('takes batches from all loops of all shards, and every broadcast counts', async () => {
    const result = soundResult(await run(['--publish', 'batches', '--publishers', '2'], undefined, 'throughput', 2));
    const { acked, expected, lost = 0, delivered = 0, batches, duplicate } = result.ledger as Record<string, number>;
    expect([acked, expected, delivered + lost, duplicate]).toEqual([53, 53 * 7, 53 * 7, 0]);
    expect(lost).toBeGreaterThan(0);
    // Each of the four loops has 14 of the 56, warm-up included: a request of ten and one of four.
    expect(batches).toBe(4 * 2);
    expect(result.metrics.delivery?.count).toBe(0);
  });

  it('that knows another secret refuses every client behind its 101, and the run says so', async () => {
    const result = keptResult(await run([], 'another'));
    expect(result.stop.code).not.toBe('completed');
    expect(JSON.stringify(result.stop)).toContain('rejected:subscription_error');
  });
});
