import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
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

beforeAll(() => {
  for (const folder of [runDirectory, altered]) mkdirSync(folder, { recursive: true });
  const [pair] = kept.paired.pairs;
  const paired = { ...kept.paired, pairs: [{ ...pair!, ratio: 3.7 }] };
  writeFileSync(join(directory, 'comparison.json'), JSON.stringify(kept));
  writeFileSync(join(runDirectory, 'result.json'), JSON.stringify(run));
  writeFileSync(join(altered, 'comparison.json'), JSON.stringify({ ...kept, paired }));
});

describe('a kept paired comparison', () => {
  it('is shown again from its rounds, and a document that disagrees with them is named', async () => {
    const [sound, other, json] = await Promise.all([
      place.run(['show', directory]),
      place.run(['show', altered]),
      place.run(['show', directory, '--json']),
    ]);
    expect([sound.code, other.code]).toEqual([0, 0]);
    expect(other.stdout.startsWith(sound.stdout.trimEnd())).toBe(true);
    expect(other.stdout.slice(sound.stdout.length)).toContain('ws to uws');
    expect(JSON.parse(json.stdout)).toMatchObject({ paired: { pairs: [{ a: 'ws', b: 'uws' }] } });
  });

  it('has a page of its own, without samples', async () => {
    expect(await place.run(['report', directory, '--html', page])).toMatchObject({ code: 0 });
    expect(readFileSync(page, 'utf8')).toContain('<section id="ratios"');
    const refused = (...more: string[]) => place.refused(['report', directory, ...more, '--html', page]);
    expect(await refused('--every-run')).toEqual([named('badOption', '--every-run', directory)]);
    expect(await refused(runDirectory)).toEqual([named('badResult', directory)]);
  });

  it('goes out as JUnit and Markdown, and not as samples', async () => {
    for (const format of ['junit', 'markdown'])
      expect(await place.run(['export', directory, '--format', format])).toMatchObject({ code: 0 });
    expect(await place.refused(['export', directory, '--format', 'csv'])).toEqual([named('badResult', directory)]);
  });

  it('is no side of a diff, nor is a run of it', async () => {
    expect(await place.refused(['diff', directory, directory])).toEqual([named('badResult', directory)]);
    expect(await place.refused(['diff', runDirectory, runDirectory])).toEqual([named('badResult', runDirectory)]);
  });

  it('has no line in a history of runs', async () => {
    const asked = ['history', 'delivery.p50', '--results', directory];
    expect(await place.refused(asked)).toEqual([named('notFound', 'delivery.p50')]);
  });
});
