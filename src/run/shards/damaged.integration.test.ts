import { expect, it } from 'vitest';
import { Front } from '../../../test/https-front.js';
import { latencyFlags, soundResult } from '../../../test/latency.js';
import { workplace } from '../../../test/workplace.js';

const place = workplace();

it('samples that arrive damaged each time are in no figure, and end the run as a lost shard does', async () => {
  const [one, other] = await Promise.all([place.benchRunner(), place.benchRunner()]);
  const front = await Front.open(other.port, { damaged: /\/samples\/delivery$/ });
  const { url: way } = front;
  const shards = [`http://127.0.0.1:${one.port}`, way].flatMap((url) => ['--shard', url]);
  const ended = await place.run(['run', 'latency', '--target', 'ws', ...latencyFlags(31, 53), ...shards]);
  front.close();
  expect(ended.code).toBe(5);
  const result = soundResult(ended);
  expect(result.stop).toEqual({ code: 'samplesDamaged', evidence: [expect.stringContaining(way)] });
  expect(result.shards).toMatchObject([
    { state: 'complete', result: { stop: { code: 'completed' } } },
    { state: 'lost', fault: 'samplesDamaged', result: null, why: expect.stringContaining('SHA-256') },
  ]);
  const { delivery } = result.shards[0]?.result?.samples ?? {};
  expect(delivery?.count).toBeGreaterThan(0);
  expect(result.samples.delivery).toMatchObject(delivery ?? {});
  // It stays on its shard, which was asked three times and was not told that it may forget the run.
  const asked = front.asked.filter((each) => each.endsWith('/samples/delivery'));
  expect(asked).toHaveLength(3);
  expect(front.asked.filter((each) => each.endsWith('/collected'))).toEqual([]);
});
