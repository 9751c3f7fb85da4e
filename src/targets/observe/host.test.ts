import { expect, it } from 'vitest';
import { FakeProc } from '../../../test/doubles/fake-proc.js';
import { hostSource } from './proc.js';

const { signal } = new AbortController();

function host() {
  const files = new FakeProc();
  const source = hostSource(files);
  return (atMs: number, overflows: number, cores: Record<string, string>) => {
    files.others.set('/proc/meminfo', 'MemAvailable: 1009 kB\n');
    files.others.set('/proc/net/netstat', `TcpExt: ListenOverflows\nTcpExt: ${overflows}\n`);
    const lines = Object.entries(cores).map(([core, ticks]) => `${core} ${ticks}\n`);
    files.others.set('/proc/stat', `cpu  1 1 1 1\n${lines.join('')}`);
    return source.read({ nowMs: () => atMs, startedAtEpochMs: 0 }, signal);
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
  const read = hostSource(new FakeProc()).read({ nowMs: () => 0, startedAtEpochMs: 0 }, signal);
  await expect(read).rejects.toThrow('ENOENT');
});
