import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { called, refusedCall } from '../../../test/called.js';
import { goldenRun } from '../../../test/kept-golden.js';
import { pairedComparison } from '../../../test/paired-golden.js';
import { named } from '../../../test/refusal.js';
import { workplace } from '../../../test/workplace.js';

const place = workplace();
const kept = pairedComparison({ times: { ws: 1.5, uws: 1 }, starts: 3 });
const { shape } = goldenRun('ws', 1);
const run = goldenRun('ws', 1, { shape: { ...shape, slots: { slotsMs: [43, 43, 43] } } });
const directory = join(place.folder, 'kept');
const runDirectory = join(directory, 'run');
const altered = join(place.folder, 'altered');
const page = join(place.folder, 'page.html');
const inWords = { RINGSIDE_JSON: '' };

beforeAll(() => {
  for (const folder of [runDirectory, altered]) mkdirSync(folder, { recursive: true });
  const [pair] = kept.paired.pairs;
  const paired = { ...kept.paired, pairs: [{ ...pair!, ratio: 3.7 }] };
  writeFileSync(join(directory, 'experiment.json'), JSON.stringify(kept));
  writeFileSync(join(runDirectory, 'result.json'), JSON.stringify(run));
  writeFileSync(join(altered, 'experiment.json'), JSON.stringify({ ...kept, paired }));
});

it('a kept pair is shown again from its rounds, whatever its document says', async () => {
  const [sound, other] = [await called(['show', directory], inWords), await called(['show', altered], inWords)];
  const json = await called(['show', directory, '--json']);
  expect([sound.code, other.code]).toEqual([0, 0]);
  expect(other.stdout).toBe(sound.stdout);
  expect(JSON.parse(json.stdout)).toMatchObject({ paired: { pairs: [{ a: 'ws', b: 'uws' }] } });
});

it('a kept pair has a page of its own, without samples', async () => {
  expect(await called(['report', directory, '--html', page], inWords)).toMatchObject({ code: 0 });
  expect(readFileSync(page, 'utf8')).toContain('<section id="ratios"');
  const refused = (...more: string[]) => refusedCall('report', directory, ...more, '--html', page);
  expect(await refused('--every-run')).toEqual([named('badOption', '--every-run', directory)]);
  expect(await refused(runDirectory)).toEqual([named('badResult', directory)]);
});

it('a kept pair goes out as JUnit and Markdown, and not as samples', async () => {
  for (const form of ['--junit', '--markdown'])
    expect(await called(['show', directory, form, '-'])).toMatchObject({ code: 0 });
  expect(await refusedCall('export', directory, '--format', 'csv')).toEqual([named('badResult', directory)]);
});

it('a kept pair is no side of a diff, nor is a run of it', async () => {
  expect(await refusedCall('diff', directory, directory)).toEqual([named('badResult', directory)]);
  expect(await refusedCall('diff', runDirectory, runDirectory)).toEqual([named('badResult', runDirectory)]);
});

it('a kept pair is a ratio in a history, and its runs are none', async () => {
  const { stdout } = await called(['history', 'delivery.p50', '--results', directory, '--json']);
  expect(JSON.parse(stdout).lines).toMatchObject([{ kind: 'ratio', target: expect.stringContaining(' to ') }]);
  expect(await refusedCall('history', 'delivery.p99', '--results', directory)).toEqual([
    named('notFound', 'delivery.p99'),
  ]);
});
