import { expect, it } from 'vitest';
import { FakeProc, type FakeProcess } from '../../../test/doubles/fake-proc.js';
import { CoreWaitWatch } from './core-waits.js';

/** Threads that ran and waited so long, in milliseconds. */
const threads = (times: Record<string, [ranMs: number, waitedMs: number]>, children = ''): FakeProcess => ({
  threads: Object.fromEntries(
    Object.entries(times).map(([tid, [ranMs, waitedMs]]) => [
      tid,
      { ticks: 0, ranNs: ranMs * 1e6, waitedNs: waitedMs * 1e6, children },
    ]),
  ),
});

/** A watch of process 7 in a fake `/proc`, on a clock of its own; `busy` are ticks of the two cores. */
function watched(first: FakeProcess) {
  const files = new FakeProc();
  let nowUs = 1000;
  const watch = new CoreWaitWatch(7, 0, files, () => nowUs);
  const at = (ms: number, process: FakeProcess | undefined, busy: [number, number] = [0, 0]): void => {
    nowUs = ms * 1000;
    if (process === undefined) files.processes.delete(7);
    else files.processes.set(7, process);
    files.others.set('/proc/7/status', 'Cpus_allowed_list:\t0-1\n');
    files.others.set('/proc/stat', busy.map((ticks, core) => `cpu${core} ${ticks} 0 0 0 0 0 0 3`).join('\n'));
  };
  at(1, first);
  return { files, watch: watch.start(), at };
}

it('sums what all threads ran and waited, new ones from their beginning, and keeps what ended ones did', () => {
  const { files, watch, at } = watched(threads({ 7: [100, 10] }));
  at(26, threads({ 7: [120, 17], 8: [3, 2] }));
  watch.look();
  at(51, threads({ 7: [130, 19] }));
  const { waitUs, cpuUs, beganUs } = watch.stop()!;
  expect(waitUs).toEqual([10_000, 19_000, 21_000]);
  expect(cpuUs).toEqual([100_000, 123_000, 133_000]);
  expect(beganUs).toEqual([1000, 26_000, 51_000]);
  expect(files.opened.size).toBe(0);
});

it('reads the cores that the target may use twice a second, and at the end', () => {
  const { watch, at } = watched(threads({ 7: [0, 0] }));
  at(26, threads({ 7: [10, 0] }), [11, 13]);
  watch.look();
  at(501, threads({ 7: [200, 50] }), [31, 41]);
  watch.look();
  at(526, threads({ 7: [210, 57] }), [33, 42]);
  const { cores } = watch.stop()!;
  expect(cores.map(({ atUs, busyUs, waitUs }) => [atUs, busyUs, waitUs])).toEqual([
    [1000, 0, 0],
    [501_000, 720_000, 50_000],
    [526_000, 750_000, 57_000],
  ]);
  expect(cores[1]).toMatchObject({ cores: ['cpu0', 'cpu1'], stolenUs: 60_000, cpuUs: 200_000 });
});

it('also reads children, and the process that a restart brought', () => {
  const { files, watch, at } = watched(threads({ 7: [0, 5] }, '9'));
  files.processes.set(9, threads({ 9: [0, 11] }));
  at(501, threads({ 7: [0, 5] }, '9'));
  watch.look();
  files.processes.set(17, threads({ 17: [0, 23] }));
  files.others.set('/proc/17/status', 'Cpus_allowed_list:\t1\n');
  watch.addProcess(17);
  at(526, undefined);
  expect(watch.stop()!.waitUs).toEqual([5000, 16_000, 39_000]);
});

it('knows nothing where the kernel does not count waits, or something can’t be read', () => {
  const { watch, at } = watched({ threads: { 7: { ticks: 0 } } });
  at(501, { threads: { 7: { ticks: 0 } } });
  expect(watch.stop()).toBeUndefined();
  const other = watched(threads({ 7: [0, 0] }));
  other.files.forbidden.add('/proc/stat');
  other.at(501, threads({ 7: [0, 0] }));
  other.watch.look();
  expect(other.watch.stop()).toBeUndefined();
  expect(other.files.opened.size).toBe(0);
});
