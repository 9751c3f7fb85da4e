import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { comparison } from '../contract/comparison.js';
import { type Reproduction, reproduction } from '../contract/reproduction.js';
import { smallSource } from '../testing/published.js';
import { keptDirectory, workplace } from '../testing/workplace.js';

const place = workplace();
const published = join(place.folder, 'published');
mkdirSync(published);
writeFileSync(join(published, 'small.json'), JSON.stringify(smallSource));

describe.concurrent('reproduce', () => {
  it('runs the shape of a table at a scale, and keeps published beside measured', async () => {
    const flags = ['--published', published, '--scale', '0.1', '--repeat', '2', '--json'];
    const ended = await place.run(['reproduce', 'small-latency', ...flags]);
    expect([0, 4]).toContain(ended.code);
    const { reproductions } = JSON.parse(ended.stdout) as { reproductions: Reproduction[] };
    expect(reproductions).toHaveLength(1);
    const directory = keptDirectory(ended);
    const kept = reproduction.parse(JSON.parse(readFileSync(join(directory, 'reproduction.json'), 'utf8')));
    expect(reproductions[0]).toEqual(kept);
    expect(kept).toMatchObject({
      scale: 0.1,
      repeat: 2,
      changes: [{ option: 'subscribers', published: '470', here: '47' }],
      targets: [
        { target: 'ws', state: 'ran' },
        { target: 'uws', state: 'ran' },
        { target: 'socketio', state: 'ran' },
        { target: 'go-server', state: 'elsewhere', why: 'a server in Go' },
      ],
    });
    const { rows } = comparison.parse(JSON.parse(readFileSync(join(directory, 'comparison.json'), 'utf8')));
    const runs = rows.flatMap((row) => row.runs.map(({ result }) => result));
    expect(runs.map(({ ledger }) => ledger.delivered)).toEqual(runs.map(() => 23 * 47));
    expect(runs.map(({ sources }) => sources.subscribers)).toEqual(runs.map(() => 'published'));
    const of = (figure: string) => kept.rows.find((row) => row.figure === figure);
    expect(of('small-ws-lost')?.measured).toMatchObject({ median: 0, runs: 2 });
    expect(of('small-ws-delivered')?.measured?.median).toBe(100);
    expect(of('small-uws-p50')?.measured?.median).toBeGreaterThan(0);
    expect(of('small-ws-joules')?.why).toBe('no such figure here');
    const shown = await place.run(['show', directory]);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    for (const text of ['Is it fair? Not number against number', 'small-latency', '470', 'go-server: no target here'])
      expect(shown.stdout).toContain(text);
  });

  it('runs one figure alone, for the terminal and in Markdown', async () => {
    const flags = ['--published', published, '--scale', '0.05', '--repeat', '1'];
    const [plain, markdown] = await Promise.all([
      place.run(['reproduce', 'small-uws-p50', ...flags]),
      place.run(['reproduce', 'small-uws-p50', ...flags, '--markdown']),
    ]);
    expect(plain.stdout).toMatch(/^uws +delivery\.p50 +2 ms +[\d.]+ ms.* × /m);
    expect(plain.stdout).toContain('With one target there is no order');
    expect(plain.stdout).not.toContain('socketio');
    expect(markdown.stdout).toMatch(/^\| uws \| delivery\.p50 \| 2 ms \| /m);
  });

  it('lists every table, whether it can run here, and why not', async () => {
    const ended = await place.run(['reproduce', '--list', '--published', published]);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toMatch(/^small-latency +latency +7 +ws uws socketio .*; not go-server$/m);
    expect(ended.stdout).toMatch(/^small-steps +staircase +1 .*no: there is no scenario staircase here$/m);
    const shipped = await place.run(['reproduce', '--list', 'jitter', 'csr', '--json']);
    const listed = JSON.parse(shipped.stdout) as { table: { id: string }; scale: number | null }[];
    expect(listed.map(({ table }) => table.id)).toContain('bench-jitter-10k');
    expect(listed.every(({ table }) => table.id.includes('jitter'))).toBe(true);
  });

  it('refuses with exit code 2 what is not there, and what the machine does not carry, with what would be', async () => {
    const unknown = await place.run(['reproduce', 'jitter-uws-10k']);
    expect(unknown).toMatchObject({ code: 2, stdout: '' });
    expect(unknown.stderr).toMatch(/called "jitter-uws-10k"; near it are bench-jitter-10k-uws/);
    expect(await place.run(['reproduce'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--list') });
    const large = await place.run(['reproduce', 'bench-idle-1m', '--repeat', '1']);
    expect(large).toMatchObject({ code: 2, stdout: '' });
    expect(large.stderr).toMatch(/Or take less: --scale 0\.\d+ is the largest that fits here/);
    const second = await place.run(['reproduce', 'bench-latency-1k', 'bench-idle-1m', '--repeat', '1']);
    expect(second).toMatchObject({ code: 2, stdout: '' });
    expect(second.stderr).toMatch(/^error: bench-idle-1m: /);
  });
});
