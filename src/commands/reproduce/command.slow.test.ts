import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { smallSource } from '../../../test/published.js';
import { keptDirectory, workplace } from '../../../test/workplace.js';
import { comparison } from '../../results/comparison.js';
import type { Reproduction } from '../../results/reproduction.js';

const place = workplace();

const published = join(place.folder, 'published');
mkdirSync(published);
writeFileSync(join(published, 'small.json'), JSON.stringify(smallSource));

describe.concurrent('reproduce', () => {
  it('runs the shape of a table at a scale, and keeps published beside measured', async () => {
    const flags = ['--published', published, '--scale', '0.1', '--repeat', '2', '--json'];
    const ended = await place.measure(['reproduce', 'small-latency', ...flags]);
    const { reproductions } = JSON.parse(ended.stdout) as { reproductions: Reproduction[] };
    expect(reproductions).toHaveLength(1);
    const directory = keptDirectory(ended);
    const document: unknown = JSON.parse(readFileSync(join(directory, 'experiment.json'), 'utf8'));
    const { published: kept, rows } = comparison.parse(document);
    expect(reproductions[0]).toEqual(kept);
    expect(kept).toMatchObject({
      scale: 0.1,
      repeat: 2,
      changes: [{ option: 'clients', published: '470', here: '47' }],
      targets: [
        { target: 'ws', state: 'ran' },
        { target: 'uws', state: 'ran' },
        { target: 'socketio', state: 'ran' },
        { target: 'go-server', state: 'elsewhere', why: 'a server in Go' },
      ],
    });
    const runs = rows.flatMap((row) => row.runs.map(({ result }) => result));
    expect(runs.map(({ ledger }) => ledger.delivered)).toEqual(runs.map(() => 23 * 47));
    expect(runs.map(({ sources }) => sources.clients)).toEqual(runs.map(() => 'published'));
    const of = (figure: string) => kept?.rows.find((row) => row.figure === figure);
    expect(of('small-ws-lost')?.measured).toMatchObject({ median: 0, runs: 2 });
    expect(of('small-ws-delivered')?.measured?.median).toBe(100);
    expect(of('small-uws-p50')?.measured?.median).toBeGreaterThan(0);
    expect(of('small-ws-joules')).toMatchObject({ measured: null, why: expect.stringMatching(/./) });
    const shown = await place.run(['show', directory]);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    for (const text of ['small-latency', '470', 'go-server']) expect(shown.stdout).toContain(text);
  });
});
