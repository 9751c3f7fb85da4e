import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { smallSource } from '../../../test/published.js';
import { keptDirectory, workplace } from '../../../test/workplace.js';
import { comparison } from '../../results/comparison.js';
import { asMeasured } from './print.js';

const place = workplace();

const published = join(place.folder, 'published');
mkdirSync(published);
writeFileSync(join(published, 'small.json'), JSON.stringify(smallSource));

describe.concurrent('reproduce', () => {
  it('runs one figure alone, in Markdown and shown again', async () => {
    const flags = ['reproduce', 'small-uws-p50', '--published', published, '--scale', '0.05', '--repeat', '1'];
    const markdown = await place.measure([...flags, '--markdown', '-']);
    expect(markdown.stdout).toMatch(/^\| uws \| delivery\.p50 \| 2 ms \| /m);
    expect(markdown.stdout).not.toContain('socketio');
    const directory = keptDirectory(markdown);
    const { published: kept } = comparison.parse(JSON.parse(readFileSync(join(directory, 'experiment.json'), 'utf8')));
    const [row] = (kept?.rows ?? []).filter(({ figure }) => figure === 'small-uws-p50');
    // On a busy machine the run may be void, and has no figure.
    expect(kept?.targets.find(({ target }) => target === 'uws')?.verdicts.void).toBe(row?.measured ? 0 : 1);
    const figure = row && asMeasured(row, 'ms');
    if (row?.measured) expect(figure).toMatch(/^≤?\d[\d,.]* ms\b/);
    const plain = await place.run(['show', directory]);
    const line = plain.stdout.split('\n').find((each) => /^uws +delivery\.p50 /.test(each)) ?? '';
    expect(line.split(/ {2,}/).slice(2, 4)).toEqual(['2 ms', figure]);
    expect(plain.stdout).not.toContain('socketio');
  });

  it('lists every table, whether it can run here, and why not', async () => {
    const ended = await place.run(['reproduce', '--list', '--published', published]);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toMatch(/^small-latency +latency +\d of 4 .*yes$/m);
    expect(ended.stdout).toMatch(/^small-steps +staircase .*staircase/m);
    expect(ended.stdout).toMatch(/^go-server +a server in Go$/m);
    const shipped = await place.run(['reproduce', '--list', 'jitter', 'csr', '--json']);
    const listed = JSON.parse(shipped.stdout) as { table: { id: string }; scale: number | null }[];
    expect(listed.map(({ table }) => table.id)).toContain('bench-jitter-10k');
    expect(listed.every(({ table }) => table.id.includes('jitter'))).toBe(true);
  });

  it('refuses what the machine does not carry, with a scale that it does', async () => {
    const large = await place.refused(['reproduce', 'bench-idle-1m', '--repeat', '1']);
    expect(large.map(({ hint }) => hint).join()).toMatch(/--scale 0\.\d+/);
    const second = await place.refused(['reproduce', 'bench-latency-1k', 'bench-idle-1m', '--repeat', '1']);
    expect(second[0]?.message).toContain('bench-idle-1m');
  });
});
