import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startTarget } from '../launch/process.js';
import { targetByName } from '../list.js';
import { startObservation } from './observe.js';
import { statsSource } from './source.js';

const host = '127.0.0.1';
const everyMs = 101;
/** Long enough for the noisiest machine: a poll ends as soon as it may. */
const eventually = { timeout: 60_000, interval: 53 };

describe('the stats of a target', () => {
  it('come from its process, count its connections, and end with it', async () => {
    const running = await startTarget(targetByName('ws')!, { host });
    const observation = startObservation([statsSource(running.endpoints.statsUrl!)], everyMs);
    await expect.poll(() => observation.peek('connections'), eventually).toBe(0);
    const sockets = Array.from({ length: 7 }, () => new WebSocket(running.endpoints.wsUrl));
    await expect.poll(() => observation.peek('connections'), eventually).toBe(7);
    await expect.poll(() => observation.peek('eventLoopUtilization'), eventually).toBeDefined();
    for (const socket of sockets) socket.terminate();
    await running.stop();
    await expect.poll(() => observation.peek('connections'), eventually).toBeUndefined();
    const series = await observation.stop();
    const names = ['rssBytes', 'connections', 'cpuPercent', 'eventLoopDelayP99Ms', 'eventLoopUtilization'];
    expect(series.map(({ name }) => name)).toEqual(names);
    for (const { source, process, points, endedBecause } of series) {
      expect([source, process]).toEqual(['stats', String(running.pid)]);
      expect(points.length).toBeGreaterThan(0);
      expect(endedBecause).toMatch(/ECONNREFUSED|other side closed|ECONNRESET/);
    }
  });
});
