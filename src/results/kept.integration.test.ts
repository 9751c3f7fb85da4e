import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { XMLValidator } from 'fast-xml-parser';
import { decodeFromCompressedBase64 } from 'hdr-histogram-js';
import { beforeAll, describe, expect, it } from 'vitest';
import { goldenComparison, goldenRun, limited, promises, voided } from '../../test/kept-golden.js';
import { workplace } from '../../test/workplace.js';
import { history } from '../commands/history/history.js';
import { summarize } from '../measure/samples/distribution.js';
import type { Samples } from '../measure/samples/samples.js';
import { parseExposition } from '../targets/observe/prometheus.js';
import { diff } from './diff.js';
import { keep } from './keep.js';
import type { RunResult } from './result.js';

const place = workplace();
const results = join(place.folder, 'kept');
const of = (name: string): string => join(results, name);
const values = Uint32Array.from({ length: 100_003 }, (_, index) => 211 + index * 7);
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
  await keep(of(name), { ...run, ...(times === 1 ? { metrics } : {}), samples }, { delivery });
}

function keepComparison(name: string, runs: readonly RunResult[]): void {
  mkdirSync(of(name));
  writeFileSync(join(of(name), 'comparison.json'), JSON.stringify(goldenComparison(runs)));
}

beforeAll(async () => {
  await keepRun('a', 1, { thresholds: promises });
  await keepRun('b', 2, { startedAt: '2026-11-22T09:40:15.682Z' });
  await keepRun('c', 4.5, { startedAt: '2026-11-23T09:40:15.682Z', verdict: limited });
  await keepRun('void', 3, { startedAt: '2026-11-24T09:40:15.682Z', verdict: voided });
  await keepRun('other', 1.5, { fingerprint: '0123456789ab', shape: { scenario: 'latency', subscribers: 7 } });
  await keep(elsewhere, foreign, { connect: { kind: 'raw', values: Uint32Array.of() } });
  keepComparison(
    'compared',
    [1, 1.02, 0.98].map((times) => goldenRun('ws', times)),
  );
  keepComparison('before', [goldenRun('ws', 1), goldenRun('uws', 1)]);
  keepComparison('after', [goldenRun('ws', 3), goldenRun('uws', 3, { verdict: limited })]);
  mkdirSync(of('broken'));
  writeFileSync(join(of('broken'), 'result.json'), '{"schema": 1}');
});

it.each([['show'], ['show', '--json'], ['export', '--format', 'csv']])(
  '%s %s takes a file of what is kept for its directory',
  async (name, ...more) => {
    const [file, directory] = await Promise.all(
      [join(of('a'), 'result.json'), of('a')].map((path) => place.run([name, path, ...more])),
    );
    expect(file).toMatchObject({ code: 0, stdout: directory?.stdout });
  },
);

const exported = (format: string, ...more: string[]) => place.run(['export', of('a'), '--format', format, ...more]);

describe.concurrent('export', () => {
  it('gives every sample, to stdout or to a file', async () => {
    const { stdout, stderr, code } = await exported('csv');
    expect([code, stderr]).toEqual([0, '']);
    const rows = parse(stdout, { columns: true }) as { metric: string; us: string }[];
    expect(rows.length).toBe(values.length);
    expect(Uint32Array.from(rows, ({ us }) => Number(us))).toEqual(values);
    const file = join(place.folder, 'samples.csv');
    expect(await exported('csv', '--output', file)).toMatchObject({ code: 0, stdout: '' });
    expect(readFileSync(file, 'utf8')).toBe(stdout);
  });

  it('gives what other tools read', async () => {
    const kept = JSON.parse(readFileSync(join(of('a'), 'result.json'), 'utf8')) as RunResult;
    const histogram = decodeFromCompressedBase64((await exported('histogram')).stdout.trim());
    expect(histogram.totalCount).toBe(values.length);
    expect((await exported('hgrm', '--metric', 'delivery')).stdout).toContain(
      `Total count    =       ${values.length}]`,
    );
    expect(XMLValidator.validate((await exported('junit')).stdout)).toBe(true);
    const page = parseExposition((await exported('openmetrics')).stdout);
    const p99 = page.find(({ labels }) => labels.metric === 'delivery' && labels.quantile === '0.99');
    expect(p99?.value).toBeCloseTo((kept.metrics.delivery?.p99 ?? 0) / 1e6, 9);
    expect((await exported('markdown')).stdout).toMatch(/^### latency · ws\n\n✅ clean/);
    const points = parse((await exported('timeline-csv')).stdout, { columns: true }) as unknown[];
    expect(points.length).toBeGreaterThan(10);
    expect((await place.run(['export', of('compared'), '--format', 'junit'])).stdout).toContain('latency ws 3 of 3');
  });

  it('says all that is wrong with what was asked for', async () => {
    const wrong = await exported('xlsx');
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('--format: expected one of csv, timeline-csv,');
    expect((await exported('csv', '--metric', 'nothing')).stderr).toContain('--metric: expected one of delivery');
    expect((await exported('junit', '--metric', 'delivery')).stderr).toContain('--metric: expected none');
    const unwritable = await exported('csv', '--output', join(place.folder, 'no', 'where'));
    expect(unwritable).toMatchObject({ code: 2, stderr: expect.stringContaining('--output: expected a file') });
    const empty = await place.run(['export', elsewhere, '--format', 'hgrm', '--metric', 'connect']);
    expect(empty).toMatchObject({ code: 2, stdout: '' });
    expect(empty.stderr).toContain('received connect');
    const comparison = await place.run(['export', of('compared'), '--format', 'csv']);
    expect(comparison).toMatchObject({ code: 2, stderr: expect.stringContaining('holds a comparison') });
    const nothing = await place.run(['export', results, '--format', 'csv']);
    expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining('holds neither') });
  });
});

describe.concurrent('diff', () => {
  const diffed = (...args: string[]) => place.run(['diff', ...args]);

  it('exits with 4 where something became worse that the rig may have written, and with 0 where nothing did', async () => {
    const worse = await diffed(of('b'), of('c'), '--json');
    expect([worse.code, worse.stderr]).toEqual([4, '']);
    const found = diff.parse(JSON.parse(worse.stdout));
    expect(found.regressions).toContain('ws  delivery.p99');
    expect(found.parts[0]?.candidate.verdicts.limited).toBe(1);
    expect(await diffed(of('c'), of('b'))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('nothing that decides became worse by more than the noise'),
    });
    const junit = (await diffed(of('b'), of('c'), '--junit')).stdout;
    expect([XMLValidator.validate(junit), junit.includes('type="regression"')]).toEqual([true, true]);
    expect((await diffed(of('b'), of('c'), '--markdown')).stdout).toContain('❌ **worse by more than the noise:**');
  });

  it('holds comparisons against each other, and runs against comparisons; exits with 3 where something became worse', async () => {
    expect(await diffed(of('compared'), of('compared'))).toMatchObject({ code: 0 });
    expect(await diffed(of('compared'), of('b'))).toMatchObject({ code: 3 });
    // What a limited run of another target hides nothing of.
    expect(await diffed(of('before'), of('after'))).toMatchObject({ code: 3 });
  });

  it('refuses other shapes by the first difference, unless forced', async () => {
    const refused = await diffed(of('b'), of('other'));
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toMatch(/^error: client: "wire" and nothing \(.*kept\/b and .*kept\/other\)/);
    const forced = await diffed(of('b'), of('other'), '--force');
    expect(forced).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('these runs are of different shapes: client'),
    });
  });

  it('is no success where one side is void', async () => {
    const { code, stdout } = await diffed(of('b'), of('void'));
    expect([code, stdout.includes('candidate VOID')]).toEqual([4, true]);
    expect((await diffed(of('b'), of('void'), '--junit')).stdout).toContain('<failure type="void"');
  });

  it('refuses what holds no result, and two documents at once', async () => {
    expect(await diffed(of('b'), results)).toMatchObject({ code: 2 });
    expect(await diffed(of('b'), of('c'), '--json', '--markdown')).toMatchObject({ code: 2 });
  });
});

describe.concurrent('show', () => {
  it('puts runs of one scenario side by side, forced or not', async () => {
    for (const more of [[], ['--force']]) {
      const mixed = await place.run(['show', of('a'), elsewhere, ...more]);
      expect(mixed).toMatchObject({ code: 2, stdout: '' });
      expect(mixed.stderr).toContain('one scoreboard holds runs of one scenario, and these are of latency, connect');
    }
    expect(await place.run(['show', of('a'), of('other'), '--force'])).toMatchObject({ code: 0 });
  });
});

describe.concurrent('history', () => {
  const drawn = (...args: string[]) => place.run(['history', ...args, '--results', results]);

  it('draws a line for each shape, and names what it could not read', async () => {
    const { code, stdout, stderr } = await drawn('delivery.p99', '--json');
    expect(code).toBe(0);
    const found = history.parse(JSON.parse(stdout));
    expect(found.lines.map(({ fingerprint, points }) => [fingerprint, points.length])).toEqual([
      ['0123456789ab', 1],
      ['dc5a9d213400', 4],
    ]);
    expect(stderr).toMatch(/^can't be read: .*broken\/result\.json: .* \(and \d+ more\)\n$/);
    expect(found.unreadable.map(({ file }) => file)).toEqual([join(of('broken'), 'result.json')]);
    expect((await drawn('delivery.p99')).stdout).toContain('2026-11-23 09:40:15');
    const rows = parse((await drawn('lost', '--csv')).stdout, { columns: true }) as unknown[];
    expect(rows.length).toBe(5);
  });

  it('refuses what it does not know', async () => {
    expect(await drawn('delivery.p98')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('received delivery.p98'),
    });
    expect(await drawn('lost', '--scenario', 'nothing')).toMatchObject({ code: 2 });
    expect(await drawn('lost', '--target', 'uws')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('of target uws'),
    });
    expect((await place.run(['history', 'lost', '--results', of('nowhere')])).code).toBe(2);
  });
});

it('run refuses --json and --markdown together before it makes any load', async () => {
  const both = await place.run(['run', 'latency', '--target', 'ws', '--json', '--markdown']);
  expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('received --json and --markdown') });
});
