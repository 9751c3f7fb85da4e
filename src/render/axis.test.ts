import { expect, it } from 'vitest';
import { goldenRun, latency } from '../../test/kept-golden.js';
import { pairedComparison } from '../../test/paired-golden.js';
import type { Comparison, KeptRun } from '../results/comparison.js';
import type { RunResult } from '../results/result.js';
import { axisAnswer } from './axis.js';

const [plain, compressed] = ['uws', 'uws+compression'];
const clients = 101;

/** A run of a server with that resident memory, whose engine inflated so many bytes. */
function runOf(target: string, rssBytes: number, bytes: Record<string, number> = {}): KeptRun {
  const result = structuredClone(goldenRun(target, 1)) as RunResult;
  const [shard] = result.shards;
  const use = { handedOver: 0, reads: 0, exact: 0, bracketed: 0, unstamped: 0, clockSteps: 0 };
  for (const each of result.shards) if (each.result) each.result.rig.engines = [];
  shard!.result!.rig.engines = [{ name: 'native', ...use, loops: 1, cpuNs: 0, coreWaitNs: 0, ...bytes }];
  const { loadAtMs } = result.environment;
  result.environment.stages = [{ name: 'publish', fromMs: loadAtMs, toMs: loadAtMs + 7000 }] as never;
  const read = { source: 'proc', unit: 'bytes', process: '4099', points: [{ atMs: loadAtMs + 3000, value: rssBytes }] };
  result.environment.observations = [{ ...read, name: 'rssBytes' }] as never;
  return { directory: '', result };
}

const saved = { compressedClients: clients, deflatedBytes: 2500, inflatedBytes: 10_000 };

/** A comparison whose server takes so many times as long with compression, and 11 to 13 KB more for each client. */
function onAxis(times: number, more: Partial<Comparison['paired']> = {}): Comparison {
  const made = pairedComparison({
    ...{ times: { [plain]: 1, [compressed]: times }, more },
    target: (name) => ({ cpuCores: name === compressed ? 0.03 : 0.01 }),
  });
  const rows = made.rows.map((row) => ({
    ...row,
    runs: [11, 12, 13].map((kb) =>
      row.target === compressed ? runOf(row.target, 50e6 + kb * 1000 * clients, saved) : runOf(row.target, 50e6),
    ),
  }));
  return { ...made, rows, axis: 'compression' };
}

it('says first what compression costs, with its interval, and what it saves', () => {
  const [cost, resources, ...rest] = axisAnswer(onAxis(1.5), latency);
  expect(cost).toMatch(
    /^Compression costs uws 1\.5\d?× \[1\.\d+ – 1\.\d+\] its delivery p50, and saves 75\.00 % of the bytes of its/,
  );
  expect(resources).toBe('The server takes 3.00× the CPU and +12 KB per connection (+11 to +13).');
  expect(rest).toEqual([]);
});

it.each([
  [1, 'Compression costs no time: uws'],
  [0.5, 'Compression spares time: uws 0.50×'],
])('says what else a ratio of %d means', (times, words) => {
  expect(axisAnswer(onAxis(times), latency)[0]).toContain(words);
});

it('tells CPU and memory of one server apart from nothing', () => {
  const answer = axisAnswer(onAxis(1.5, { sameProcesses: [plain, compressed] }), latency);
  expect(answer[1]).toBe('Both sides share the processes of uws, whose CPU and memory are not told apart.');
});

it('says where the server does not agree, whether clients required it or only offered it', () => {
  const words = ['uws does not agree to compression, so there is nothing to compare.'];
  const { rows, ...made } = onAxis(1);
  const ended = (end: (run: RunResult) => RunResult): Comparison => ({
    ...made,
    rows: rows.map((row) => ({ ...row, runs: [{ directory: '', result: end(runOf(row.target, 1).result) }] })),
  });
  expect(
    axisAnswer(
      ended((run) => run),
      latency,
    ),
  ).toEqual(words);
  const stop = { code: 'targetUnreachable' as const, evidence: ['bad-upgrade:no compression × 7'] };
  expect(
    axisAnswer(
      ended((run) => ({ ...run, stop })),
      latency,
    ),
  ).toEqual(words);
});

it('says nothing of a comparison of targets', () => {
  const { axis: _, ...made } = onAxis(1.5);
  expect(axisAnswer(made, latency)).toEqual([]);
});

it('has a ratio for each figure of whole runs', () => {
  const { paired: _, rows, ...made } = onAxis(1.5);
  const figure = (median: number) => ({ column: 'p50', median, least: median, most: median, interval: null });
  const whole = {
    ...made,
    rows: rows.map((row) => ({ ...row, figures: [figure(row.target === compressed ? 3 : 2)] })),
  };
  expect(axisAnswer(whole, latency)[0]).toMatch(/^Compression costs uws p50 1\.50×, and saves 75\.00 %/);
  const pairs = [
    {
      column: 'p50',
      a: plain,
      b: compressed,
      ratio: 0.625,
      interval: [0.5, 0.8] as [number, number],
      isBeyondNoise: true,
    },
  ];
  expect(axisAnswer({ ...whole, pairs }, latency)[0]).toContain('p50 1.60× [1.25 – 2.00]');
});
