import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { smallSource } from '../../../test/published.js';
import { keptDirectory, workplace } from '../../../test/workplace.js';
import { comparison } from '../../results/comparison.js';
import type { Reproduction } from '../../results/published.js';

const place = workplace();

const published = join(place.folder, 'published');
mkdirSync(published);
writeFileSync(join(published, 'small.json'), JSON.stringify(smallSource));

describe('reproduce', () => {
  it('runs a source with contenders in turn, keeps published beside measured, and goes on from there', async () => {
    const flags = ['--published', published, '--scale', '0.1', '--repeat', '1', '--json'];
    const ended = await place.measure(['reproduce', 'small', ...flags]);
    const { reproductions } = JSON.parse(ended.stdout) as { reproductions: Reproduction[] };
    expect(reproductions).toHaveLength(1);
    // The other table of the source has no scenario here.
    expect(ended.stderr).toContain('left out: small-steps');
    const directory = keptDirectory(ended);
    expect(basename(directory)).toBe('small-latency');
    const readKept = () => comparison.parse(JSON.parse(readFileSync(join(directory, 'experiment.json'), 'utf8')));
    const { published: kept, rows, paired, journal } = readKept();
    expect(reproductions[0]).toEqual(kept);
    expect(kept).toMatchObject({
      scale: 0.1,
      isInTurn: true,
      changes: [
        { option: 'clients', published: '470', here: '47' },
        { option: 'rate', published: '20/s' },
        { option: 'broadcasts', published: '23' },
      ],
      targets: [
        { target: 'ws', state: 'ran' },
        { target: 'uws', state: 'ran' },
        { target: 'socketio', state: 'ran' },
        { target: 'go-server', state: 'elsewhere', why: 'a server in Go' },
      ],
    });
    const made = paired!.starts.length + paired!.voidStarts;
    expect(rows.map(({ runs }) => runs.length)).toEqual([made, made, made]);
    const runs = rows.flatMap((row) => row.runs.map(({ result }) => result));
    expect(runs.map(({ ledger }) => ledger.delivered)).toEqual(runs.map(({ ledger }) => ledger.expected));
    expect(runs.map(({ sources }) => sources.clients)).toEqual(runs.map(() => 'published'));
    expect(kept?.rows.find(({ figure }) => figure === 'small-ws-lost')?.measured).toMatchObject({ median: 0 });
    const shown = await place.run(['show', directory]);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    for (const text of ['small-latency', '470', 'go-server']) expect(shown.stdout).toContain(text);

    const again = await place.measure(['reproduce', 'small', ...flags, '--resume', dirname(directory)]);
    const { reproductions: same } = JSON.parse(again.stdout) as { reproductions: Reproduction[] };
    expect(same[0]?.pairs).toEqual(kept?.pairs);
    expect(readKept().journal).toEqual(journal);
  });
});
