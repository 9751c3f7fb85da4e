import { expect, it } from 'vitest';
import { type RunningTarget, startTarget } from '../../../src/targets/launch/process.js';
import { targets } from '../../../src/targets/list.js';
import { countingReader } from './counting.js';
import { withFloor } from './reader.js';

const startServer = (): Promise<RunningTarget> =>
  startTarget(targets.find(({ name }) => name === 'ws')!, { host: '127.0.0.1' });
const load = { subscribers: 7, warmUp: 3, broadcasts: 11, ratePerSecond: 50 };

it('the floor counts each delivery of a broadcast, and when it was sent', async ({ skip }) => {
  const target = await startServer();
  try {
    await withFloor(async (floor) => {
      if (typeof floor !== 'string') return skip(floor.lack);
      const place = { target, signal: new AbortController().signal };
      const delivered = await countingReader('floor', [floor]).with(place, load, (held) => held.deliver());
      expect(delivered.units).toBe(77);
      expect(delivered.sent.atUs).toHaveLength(11);
      expect(delivered.sent.atUs.every((us, index, all) => index === 0 || us > (all[index - 1] as number))).toBe(true);
      // Several deliveries to a client may share a read, and none takes two.
      expect(delivered.readsPerUnit).toBeGreaterThan(0);
      expect(delivered.readsPerUnit).toBeLessThanOrEqual(1);
    });
  } finally {
    await target.stop();
  }
});

it('a program that ends early is an error', async () => {
  const target = await startServer();
  try {
    const place = { target, signal: new AbortController().signal };
    const broken = countingReader('broken', [process.execPath, '-e', 'process.exit(3)', '--']);
    await expect(broken.with(place, load, async () => undefined)).rejects.toThrow('broken');
  } finally {
    await target.stop();
  }
});
