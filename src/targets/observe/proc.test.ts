import { describe, expect, it } from 'vitest';
import { FakeProc, type FakeProcess } from '../../../test/doubles/fake-proc.js';
import { naming } from '../../../test/refusal.js';
import { hostSource, procSource } from './proc.js';
import type { Readings } from './source.js';

const { signal } = new AbortController();

/** A fake `/proc` with a source that looks at process 7 of it. */
function watched(processes: Record<number, FakeProcess>) {
  const files = new FakeProc();
  for (const [pid, each] of Object.entries(processes)) files.processes.set(Number(pid), each);
  const source = procSource(7, files);
  const readAt = (atMs: number): Promise<Readings> => source.read({ nowMs: () => atMs }, signal);
  return { files, readAt };
}

const value = ({ values }: Readings, name: string, process = '7'): number | undefined =>
  values.find((reading) => reading.name === name && reading.process === process)?.value;

const single = (more: Partial<FakeProcess> = {}): FakeProcess => ({
  rssKb: 1009,
  pssKb: 997,
  descriptors: 19,
  threads: { 7: { ticks: 100 } },
  ...more,
});

describe('a process', () => {
  it('is read at first without rates, and with its limit that once', async () => {
    const { readAt } = watched({ 7: single() });
    const first = await readAt(0);
    expect(first.endings).toEqual([]);
    expect(first.values).toEqual(
      [
        ['rssBytes', 1009 * 1024],
        ['threads', 1],
        ['descriptorLimit', 1009],
        ['descriptors', 19],
        ['pssBytes', 997 * 1024],
      ].map(([name, each]) => ({ name, value: each, process: '7', atMs: 0 })),
    );
    expect(value(await readAt(1000), 'descriptorLimit')).toBeUndefined();
  });

  it('has CPU and switches per second from one reading to the next, its busiest thread apart', async () => {
    const { files, readAt } = watched({
      7: single({ threads: { 7: { ticks: 100, voluntary: 10, involuntary: 1 }, 11: { ticks: 900, voluntary: 500 } } }),
    });
    await readAt(0);
    files.processes.set(7, {
      ...single(),
      threads: { 7: { ticks: 290, voluntary: 24, involuntary: 7 }, 11: { ticks: 910, voluntary: 506 } },
    });
    const second = await readAt(2000);
    expect(value(second, 'cpuPercent')).toBe(100);
    expect(value(second, 'busiestThreadPercent')).toBe(95);
    expect(value(second, 'voluntarySwitchesPerSecond')).toBe(10);
    expect(value(second, 'involuntarySwitchesPerSecond')).toBe(3);
    expect(value(second, 'threads')).toBe(2);
    expect(value(second, 'coreWaitPercent')).toBeUndefined();
  });

  it('tells how long its threads were ready to run without a core, new ones from their beginning', async () => {
    const threads = (...waitedNs: number[]) =>
      single({ threads: Object.fromEntries(waitedNs.map((each, n) => [7 + n, { ticks: 0, waitedNs: each }])) });
    const { files, readAt } = watched({ 7: threads(1_009_000_000, 500_000_000) });
    await readAt(0);
    files.processes.set(7, threads(1_109_000_000, 500_000_000, 300_000_000));
    expect(value(await readAt(2000), 'coreWaitPercent')).toBe(20);
  });

  it('counts all that a new thread did, and in the whole what an ended one did', async () => {
    const { files, readAt } = watched({ 7: single({ threads: { 7: { ticks: 100 }, 11: { ticks: 50 } } }) });
    await readAt(0);
    files.processes.set(7, { ...single(), ticks: 210, threads: { 7: { ticks: 110 }, 13: { ticks: 20 } } });
    const second = await readAt(1000);
    expect(value(second, 'cpuPercent')).toBe(60);
    expect(value(second, 'busiestThreadPercent')).toBe(20);
  });

  it('has its dear metrics no more often than every 5 s', async () => {
    const { files, readAt } = watched({ 7: single() });
    files.hasDescriptorSize = false;
    for (const atMs of [0, 1009, 2003, 4999, 5003, 7001, 10_007]) {
      const readings = await readAt(atMs);
      const isDue = [0, 5003, 10_007].includes(atMs);
      expect(value(readings, 'pssBytes')).toBe(isDue ? 997 * 1024 : undefined);
      expect(value(readings, 'descriptors')).toBe(isDue ? 19 : undefined);
    }
    expect(files.dear.length).toBe(6);
  });

  it('has its descriptors at every reading where the kernel counts them by itself', async () => {
    const { files, readAt } = watched({ 7: single() });
    for (const atMs of [0, 1009, 2003]) expect(value(await readAt(atMs), 'descriptors')).toBe(19);
    expect(files.dear).toEqual(['/proc/7/smaps_rollup']);
  });

  it('lacks what only its owner may read, and says why', async () => {
    const { files, readAt } = watched({ 7: single() });
    files.forbidden.add('/proc/7/smaps_rollup');
    const readings = await readAt(0);
    expect(readings.endings).toEqual([{ process: '7', name: 'pssBytes', because: 'EACCES: /proc/7/smaps_rollup' }]);
    expect(value(readings, 'rssBytes')).toBe(1009 * 1024);
  });
});

describe('a process that is gone', () => {
  it.each([
    ['not there any more', undefined],
    ['dead and not buried', single({ state: 'Z' })],
    ['without memory at its end', { threads: { 7: { ticks: 7 } } }],
    ['another one with its pid', single({ startTicks: 11 })],
  ] as [string, FakeProcess | undefined][])('ends, and gives nothing any more (%s)', async (_, after) => {
    const { files, readAt } = watched({ 7: single() });
    await readAt(0);
    files.processes.delete(7);
    if (after !== undefined) files.processes.set(7, after);
    expect(await readAt(1009)).toEqual({ values: [], endings: [{ process: '7', because: naming('process 7') }] });
    expect(await readAt(2003)).toEqual({ values: [], endings: [] });
  });

  it('gives none of what was read of it in the moment of its end', async () => {
    const { files, readAt } = watched({ 7: single() });
    files.slowText = async () => {
      throw Object.assign(new Error('ESRCH'), { code: 'ESRCH' });
    };
    expect((await readAt(0).catch((error: Error) => error)) as Error).toMatchObject({
      message: naming(7, '/proc'),
    });
  });

  it('is a failure when it was never there', async () => {
    await expect(watched({}).readAt(0)).rejects.toThrow(/\b7\b.*\/proc/);
  });
});

describe('descendants', () => {
  const family = {
    7: single({ threads: { 7: { ticks: 1 }, 8: { ticks: 1, children: '11 13 ' } } }),
    11: single({ rssKb: 503, threads: { 11: { ticks: 1, children: '17 ' } } }),
    13: single({ rssKb: 509, threads: { 13: { ticks: 1 } } }),
    17: single({ rssKb: 521, threads: { 17: { ticks: 1 } } }),
    19: single(),
  };
  const pids = ({ values }: Readings): unknown[] =>
    values.filter(({ name }) => name === 'rssBytes').map(({ process }) => process);

  it('are observed from the reading that finds them, with one stamp for all', async () => {
    const { readAt } = watched(family);
    const first = await readAt(31);
    expect(pids(first)).toEqual(['7', '11', '13', '17']);
    expect(value(first, 'rssBytes', '17')).toBe(521 * 1024);
    expect(first.values.every(({ atMs }) => atMs === 31)).toBe(true);
  });

  it('outlive whoever started them', async () => {
    const { files, readAt } = watched(family);
    await readAt(0);
    files.processes.delete(7);
    files.processes.delete(11);
    const second = await readAt(1009);
    expect(pids(second)).toEqual(['13', '17']);
    expect(second.endings.map(({ process }) => process)).toEqual(['7', '11']);
    expect(value(second, 'cpuPercent', '17')).toBe(0);
  });
});

function host() {
  const files = new FakeProc();
  const source = hostSource(files);
  return (atMs: number, overflows: number, cores: Record<string, string>) => {
    files.others.set('/proc/meminfo', 'MemAvailable: 1009 kB\n');
    files.others.set('/proc/net/netstat', `TcpExt: ListenOverflows\nTcpExt: ${overflows}\n`);
    const lines = Object.entries(cores).map(([core, ticks]) => `${core} ${ticks}\n`);
    files.others.set('/proc/stat', `cpu  1 1 1 1\n${lines.join('')}`);
    return source.read({ nowMs: () => atMs }, signal);
  };
}

it('tells memory at once, and from then on overflows per second, how busy each core was, and stolen time', async () => {
  const readAt = host();
  const first = await readAt(1000, 1_000_003, { cpu0: '100 0 0 900 0 0 0 0', cpu1: '100 0 0 900 0 0 0 0' });
  expect(first.values).toEqual([{ name: 'memAvailableBytes', value: 1009 * 1024, atMs: 1000 }]);
  const second = await readAt(3000, 1_000_017, { cpu0: '130 0 0 970 0 0 0 100', cpu1: '120 0 50 905 17 0 8 0' });
  expect(second.values.slice(1)).toEqual([
    { name: 'acceptQueueOverflowsPerSecond', value: 7, atMs: 3000 },
    { name: 'coreBusyPercent', value: 30, process: 'cpu0', atMs: 3000 },
    { name: 'coreBusyPercent', value: 78, process: 'cpu1', atMs: 3000 },
    { name: 'stolenPercent', value: (100 / 300) * 100, atMs: 3000 },
  ]);
});

it('leaves out a core that is new or stood still, and keeps a share between nothing and all', async () => {
  const readAt = host();
  await readAt(0, 0, { cpu0: '100 0 0 900 0 0 0 0', cpu1: '1 0 0 1 0 0 0 0' });
  // The kernel took a tick of idle time back from cpu0.
  const { values } = await readAt(1000, 0, {
    cpu0: '104 0 0 899 0 0 0 0',
    cpu1: '1 0 0 1 0 0 0 0',
    cpu2: '5 0 0 5 0 0 0 0',
  });
  expect(values.filter(({ name }) => name === 'coreBusyPercent')).toMatchObject([{ process: 'cpu0', value: 100 }]);
});

it('leaves out a core that was stolen all the time', async () => {
  const readAt = host();
  await readAt(0, 0, { cpu0: '100 0 0 900 0 0 0 0' });
  const { values } = await readAt(1000, 0, { cpu0: '100 0 0 900 0 0 0 100' });
  expect(values.slice(2)).toEqual([{ name: 'stolenPercent', value: 100, atMs: 1000 }]);
});

it('fails where there is no /proc', async () => {
  const read = hostSource(new FakeProc()).read({ nowMs: () => 0 }, signal);
  await expect(read).rejects.toThrow('ENOENT');
});
