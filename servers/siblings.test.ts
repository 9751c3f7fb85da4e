import { expect, it } from 'vitest';
import { sumOf } from './siblings.js';

const versions = { node: '20.20.2', 'uWebSockets.js': '20.51.4' };

it('adds up what is a quantity, takes the worst of the event loops, and keeps the first for the rest', () => {
  const first = {
    port: 3001,
    stats: {
      ...{ pid: 11, rssBytes: 101, cpuUserUs: 1009, cpuSystemUs: 503, connections: 7, eventLoopDelayP99Ms: 3 },
      ...{ eventLoopUtilization: 0.2 },
      versions,
      settings: { processes: 3 },
    },
  };
  const part = (port: number, pid: number, eventLoopDelayP99Ms: number, eventLoopUtilization: number) => ({
    port,
    stats: { ...first.stats, pid, eventLoopDelayP99Ms, eventLoopUtilization, versions: {}, settings: {} },
  });
  const { rssBytes, cpuUserUs, cpuSystemUs, connections } = first.stats;
  const each = { rssBytes, cpuUserUs, cpuSystemUs, connections };
  expect(sumOf(first, [part(3019, 13, 5, 0.1), part(3011, 17, 2, 0.7)])).toEqual({
    ...{ pid: 11, rssBytes: 303, cpuUserUs: 3027, cpuSystemUs: 1509, connections: 21, eventLoopDelayP99Ms: 5 },
    ...{ eventLoopUtilization: 0.7 },
    versions,
    settings: { processes: 3 },
    processes: [
      { pid: 11, port: 3001, ...each },
      { pid: 13, port: 3019, ...each },
      { pid: 17, port: 3011, ...each },
    ],
  });
});
