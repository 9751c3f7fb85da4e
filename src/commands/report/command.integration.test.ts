import { cpSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { named } from '../../../test/refusal.js';
import { file, place, twoReports } from '../../../test/runs/report.js';
import type { RunResult } from '../../results/result.js';

let directories: [string, string];

beforeAll(async () => {
  ({ directories } = await twoReports());
});

describe('report', () => {
  it('is one file of a few hundred kilobytes with the library in it', () => {
    for (const name of ['one.html', 'two.html']) {
      expect(statSync(file(name)).size).toBeLessThan(3_000_000);
      expect(readFileSync(file(name), 'utf8')).toContain('uPlot');
    }
  });

  it('refuses runs of different shapes, unless forced', async () => {
    const other = file('other');
    cpSync(directories[0], other, { recursive: true });
    const kept = JSON.parse(readFileSync(join(other, 'result.json'), 'utf8')) as RunResult;
    const shape = { ...kept.shape, seed: 7919 };
    writeFileSync(join(other, 'result.json'), JSON.stringify({ ...kept, shape, fingerprint: '0123456789ab' }));
    const both = [directories[0], other, '--html', file('forced.html')];
    expect(await place.refused(['report', ...both])).toEqual([named('shapesDiffer', 'seed')]);
    expect(await place.run(['report', ...both, '--force'])).toMatchObject({ code: 0 });
    expect(readFileSync(file('forced.html'), 'utf8')).toMatch(/<strong>[^<]*<\/strong> seed\b/);
  });

  it('names the intervals that are not those of the kept blocks', async () => {
    const other = file('altered');
    cpSync(directories[0], other, { recursive: true });
    const kept = JSON.parse(readFileSync(join(other, 'result.json'), 'utf8')) as RunResult;
    const delivery = { ...kept.metrics.delivery, intervals: { ...kept.metrics.delivery?.intervals, p50: [7, 11] } };
    const metrics = { ...kept.metrics, delivery };
    writeFileSync(join(other, 'result.json'), JSON.stringify({ ...kept, metrics }));
    expect(await place.run(['report', other, '--html', file('altered.html')])).toMatchObject({ code: 0 });
    const notice = /<p class="notice">[^<]*: delivery p50<\/p>/;
    expect(readFileSync(file('altered.html'), 'utf8')).toMatch(notice);
    expect(readFileSync(file('one.html'), 'utf8')).not.toMatch(notice);
  });

  it('refuses samples that are of another run, what is no result, and a file that can not be written', async () => {
    const mixed = file('mixed');
    cpSync(directories[0], mixed, { recursive: true });
    cpSync(join(directories[1], 'samples'), join(mixed, 'samples'), { recursive: true });
    const unwritable = join(file('nowhere'), 'x.html');
    const reporting = (directory: string, html: string) => place.refused(['report', directory, '--html', html]);
    expect(await reporting(mixed, file('x.html'))).toEqual([named('badResult', mixed)]);
    expect(await reporting(place.folder, file('x.html'))).toEqual([named('badResult', place.folder)]);
    expect(await reporting(directories[0], unwritable)).toEqual([named('badOption', '--html', unwritable)]);
  });
});
