import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { XMLValidator } from 'fast-xml-parser';
import { beforeAll, describe, expect, it } from 'vitest';
import { called, refusedCall } from '../../test/called.js';
import { goldenComparison, goldenRun, goldenThresholds, limited, voided } from '../../test/kept-golden.js';
import { named } from '../../test/refusal.js';
import { workplace } from '../../test/workplace.js';
import { history } from '../commands/history/history.js';
import { Blocks, blocksOf } from '../measure/samples/blocks.js';
import { summarize } from '../measure/samples/distribution.js';
import type { Samples } from '../measure/samples/samples.js';
import { diff } from '../results/diff.js';
import type { RunResult } from '../results/result.js';
import { blockFile, ResultStore } from '../results/store.js';
import { parseExposition } from '../targets/observe/prometheus.js';

const store = new ResultStore(({ message }) => {
  throw new Error(message);
});

const place = workplace();
const results = join(place.folder, 'kept');
const of = (name: string): string => join(results, name);
const values = Uint32Array.from({ length: 30_011 }, (_, index) => 211 + index * 7);
const delivery: Samples = { kind: 'raw', values };

/** A run of another scenario, which keeps a metric without samples. */
const elsewhere = join(place.folder, 'elsewhere');
const foreign = goldenRun('ws', 1, {
  scenario: 'connect',
  samples: { connect: { file: 'samples/connect.bin', kind: 'raw', count: 0 } },
});

async function keepRun(name: string, times: number, more: Partial<RunResult> = {}): Promise<void> {
  const run = goldenRun('ws', times, more);
  const metrics = { ...run.metrics, delivery: { ...summarize(delivery), intervals: {} } };
  const samples = { delivery: { file: 'samples/delivery.bin', kind: 'raw' as const, count: values.length } };
  await store.keepRun(of(name), { ...run, ...(times === 1 ? { metrics } : {}), samples }, { samples: { delivery } });
}

function keepComparison(name: string, runs: readonly RunResult[]): void {
  mkdirSync(of(name));
  writeFileSync(join(of(name), 'experiment.json'), JSON.stringify(goldenComparison(runs)));
}

/** A run whose blocks give other intervals than its document has. */
async function keepOther(name: string): Promise<void> {
  const run = goldenRun('ws', 1);
  const blocks = new Blocks(101);
  values.forEach((us, index) => {
    blocks.record(index % 101, us);
  });
  const samples = { delivery: { file: 'samples/delivery.bin', kind: 'raw' as const, count: values.length } };
  const metrics = {
    ...run.metrics,
    delivery: { ...summarize(delivery), intervals: { p50: [7, 11] as [number, number] } },
  };
  const named = { delivery: { file: blockFile('delivery'), count: 101 } };
  const series = { [blocksOf('delivery')]: blocks.finish() };
  await store.keepRun(
    join(place.folder, name),
    { ...run, metrics, samples, blocks: named },
    { samples: { delivery }, series },
  );
}

beforeAll(async () => {
  await keepOther('other-intervals');
  await keepRun('a', 1, { thresholds: goldenThresholds });
  await keepRun('b', 2, { startedAt: '2026-11-22T09:40:15.682Z' });
  await keepRun('c', 4.5, { startedAt: '2026-11-23T09:40:15.682Z', verdict: limited });
  await keepRun('void', 3, { startedAt: '2026-11-24T09:40:15.682Z', verdict: voided });
  await keepRun('other', 1.5, { fingerprint: '0123456789ab', shape: { scenario: 'latency', clients: 7 } });
  await store.keepRun(elsewhere, foreign, { samples: { connect: { kind: 'raw', values: Uint32Array.of() } } });
  keepComparison(
    'compared',
    [1, 1.02, 0.98].map((times) => goldenRun('ws', times)),
  );
  keepComparison('before', [goldenRun('ws', 1), goldenRun('uws', 1)]);
  keepComparison('after', [goldenRun('ws', 3), goldenRun('uws', 3, { verdict: limited })]);
  mkdirSync(of('broken'));
  writeFileSync(join(of('broken'), 'result.json'), '{"schema": 2}');
});

const exported = (format: string, ...more: string[]) => called(['export', of('a'), '--format', format, ...more]);

it.each([['show'], ['show', '--json'], ['export', '--format', 'csv']])(
  '%s %s takes a file of what is kept for its directory',
  async (name, ...more) => {
    const directory = await called([name, of('a'), ...more]);
    expect(await called([name, join(of('a'), 'result.json'), ...more])).toEqual(directory);
    expect(directory.code).toBe(0);
  },
);

it('export writes every sample, to stdout or to a file', async () => {
  const { stdout, stderr, code } = await exported('csv');
  expect([code, stderr]).toEqual([0, '']);
  const rows = parse(stdout, { columns: true }) as { metric: string; us: string }[];
  expect(rows.length).toBe(values.length);
  expect(Uint32Array.from(rows, ({ us }) => Number(us))).toEqual(values);
  const file = join(place.folder, 'samples.csv');
  expect(await exported('csv', '--output', file)).toMatchObject({ code: 0, stdout: '' });
  expect(readFileSync(file, 'utf8')).toBe(stdout);
});

it('export writes what other tools read', async () => {
  const kept = JSON.parse(readFileSync(join(of('a'), 'result.json'), 'utf8')) as RunResult;
  const hgrm = (await exported('hgrm', '--metric', 'delivery')).stdout;
  expect(hgrm).toMatch(new RegExp(`Total count += +${values.length}\\]`));
  const page = parseExposition((await exported('prometheus')).stdout);
  const p99 = page.find(({ labels }) => labels.metric === 'delivery' && labels.quantile === '0.99');
  expect(p99?.value).toBeCloseTo((kept.metrics.delivery?.p99 ?? 0) / 1e6, 9);
  const points = parse((await exported('timeline-csv')).stdout, { columns: true }) as unknown[];
  expect(points.length).toBeGreaterThan(10);
  const compared = (await called(['show', of('compared'), '--junit', '-'])).stdout;
  expect([XMLValidator.validate(compared), compared.includes('latency ws')]).toEqual([true, true]);
});

it('export reports all problems of what was asked for', async () => {
  const exporting = (...args: string[]) => refusedCall('export', ...args);
  expect(await exporting(of('a'), '--format', 'xlsx')).toEqual([named('badOption', '--format', 'csv', 'xlsx')]);
  const csv = ['--format', 'csv'];
  expect(await exporting(of('a'), ...csv, '--metric', 'nothing')).toEqual([
    named('badOption', '--metric', 'delivery', 'nothing'),
  ]);
  expect(await exporting(of('a'), '--format', 'prometheus', '--metric', 'delivery')).toEqual([
    named('badOption', '--metric', 'prometheus', 'delivery'),
  ]);
  const nowhere = join(place.folder, 'no', 'where');
  expect(await exporting(of('a'), ...csv, '--output', nowhere)).toEqual([named('badOption', nowhere)]);
  expect(await exporting(elsewhere, '--format', 'hgrm', '--metric', 'connect')).toEqual([
    named('badOption', '--metric', 'connect', elsewhere),
  ]);
  expect(await exporting(of('compared'), ...csv)).toEqual([named('badResult', of('compared'), 'csv')]);
  expect(await exporting(results, ...csv)).toEqual([named('badResult', results)]);
});

const diffed = (...args: string[]) => called(['diff', ...args]);

it('diff exits with 4 for a change for the worse that the rig may have caused, and with 0 without one', async () => {
  const worse = await diffed(of('b'), of('c'), '--json');
  expect([worse.code, worse.stderr]).toEqual([4, '']);
  const found = diff.parse(JSON.parse(worse.stdout));
  expect(found.regressions).toEqual([]);
  expect(found.undecided.map(({ name }) => name)).toContain('ws  delivery.p99');
  expect(found.parts[0]?.candidate.verdicts.limited).toBe(1);
  const better = await diffed(of('c'), of('b'), '--json');
  expect([better.code, diff.parse(JSON.parse(better.stdout)).regressions]).toEqual([0, []]);
  const junit = (await diffed(of('b'), of('c'), '--junit', '-')).stdout;
  expect([XMLValidator.validate(junit), junit.includes('type="undecided"')]).toEqual([true, true]);
  expect((await diffed(of('b'), of('c'), '--markdown', '-')).stdout).toContain('undecided:');
});

it('diff compares comparisons, and runs with comparisons; exits with 3 where something became worse', async () => {
  expect(await diffed(of('compared'), of('compared'))).toMatchObject({ code: 0 });
  expect(await diffed(of('compared'), of('b'))).toMatchObject({ code: 3 });
  // A limited run of another target hides nothing of it.
  expect(await diffed(of('before'), of('after'))).toMatchObject({ code: 3 });
});

it('diff refuses other shapes by the first difference, unless forced', async () => {
  const refusal = [named('shapesDiffer', 'client', of('b'), of('other'))];
  expect(await refusedCall('diff', of('b'), of('other'))).toEqual(refusal);
  const forced = await diffed(of('b'), of('other'), '--force', '--json');
  expect([forced.code, diff.parse(JSON.parse(forced.stdout)).forced]).toEqual([0, expect.stringContaining('client')]);
});

it('diff is no success where one side is void', async () => {
  const { code, stdout } = await diffed(of('b'), of('void'), '--json');
  expect([code, diff.parse(JSON.parse(stdout)).parts[0]?.candidate.verdicts.void]).toEqual([4, 1]);
  expect((await diffed(of('b'), of('void'), '--junit', '-')).stdout).toContain('<failure type="void"');
});

it('diff refuses what holds no result, and two documents at once', async () => {
  expect(await refusedCall('diff', of('b'), results)).toEqual([named('badResult', results)]);
  const both = await refusedCall('diff', of('b'), of('c'), '--json', '--markdown', '-');
  expect(both).toEqual([named('badOption', '--json', '--markdown')]);
});

it.each([[], ['--force']])('show puts runs of one scenario side by side, and no others: %j', async (...more) => {
  const mixed = await refusedCall('show', of('a'), elsewhere, ...more);
  expect(mixed).toEqual([named('shapesDiffer', 'latency', 'connect')]);
});

it('show puts runs of different shapes side by side by force alone', async () => {
  expect(await called(['show', of('a'), of('other'), '--force'])).toMatchObject({ code: 0 });
  expect(await refusedCall('show', of('a'), of('other'))).toEqual([named('shapesDiffer', 'client')]);
});

describe('other intervals', () => {
  const directory = join(place.folder, 'other-intervals');

  it('give way to those of the blocks', async () => {
    expect((await called(['show', directory])).stdout).toContain('delivery p50 104 to 105');
  });

  it('are not looked for where blocks are damaged', async () => {
    const damaged = join(place.folder, 'damaged');
    cpSync(directory, damaged, { recursive: true });
    writeFileSync(join(damaged, blockFile('delivery')), 'RSSB');
    expect(await refusedCall('show', damaged)).toEqual([named('badResult', join(damaged, blockFile('delivery')))]);
  });
});

const drawn = (...args: string[]) => called(['history', ...args, '--results', results]);
const refusedHistory = (...args: string[]) => refusedCall('history', ...args, '--results', results);

it('history draws a line for each shape, and names what it could not read', async () => {
  const { code, stdout, stderr } = await drawn('delivery.p99', '--json');
  expect(code).toBe(0);
  const found = history.parse(JSON.parse(stdout));
  expect(found.lines.map(({ fingerprint, points }) => [fingerprint, points.length])).toEqual([
    ['0123456789ab', 1],
    ['dc5a9d213400', 4],
  ]);
  expect(stderr).toContain(join('broken', 'result.json'));
  expect(found.unreadable.map(({ file }) => file)).toEqual([join(of('broken'), 'result.json')]);
  expect((await drawn('delivery.p99')).stdout).toContain('2026-11-23 09:40:15');
  const rows = parse((await drawn('lost', '--csv')).stdout, { columns: true }) as unknown[];
  // One of the five is void.
  expect(rows.length).toBe(4);
});

it('history refuses what it does not know', async () => {
  expect(await refusedHistory('delivery.p98')).toEqual([named('badOption', 'delivery.p98')]);
  expect(await refusedHistory('lost', '--scenario', 'nothing')).toHaveLength(1);
  expect(await refusedHistory('lost', '--target', 'uws')).toEqual([named('notFound', 'uws')]);
  expect(await refusedCall('history', 'lost', '--results', of('nowhere'))).toHaveLength(1);
});

it('run refuses --json and --markdown together before it makes any load', async () => {
  const both = await refusedCall('run', 'latency', '--target', 'ws', '--json', '--markdown', '-', '--results', results);
  expect(both).toEqual([named('badOption', '--json', '--markdown')]);
});
