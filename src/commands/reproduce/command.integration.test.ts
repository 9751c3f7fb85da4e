import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { smallSource } from '../../../test/published.js';
import { workplace } from '../../../test/workplace.js';

const place = workplace();

const published = join(place.folder, 'published');
mkdirSync(published);
writeFileSync(join(published, 'small.json'), JSON.stringify(smallSource));

describe.concurrent('reproduce', () => {
  it('runs one figure alone, for the terminal and in Markdown', async () => {
    const flags = ['--published', published, '--scale', '0.05', '--repeat', '1'];
    const [plain, markdown] = await Promise.all([
      place.run(['reproduce', 'small-uws-p50', ...flags]),
      place.run(['reproduce', 'small-uws-p50', ...flags, '--markdown']),
    ]);
    expect(plain.stdout).toMatch(/^uws +delivery\.p50 +2 ms +[\d.]+ ms.* × /m);
    expect(plain.stdout).toContain('One target has no order');
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

  it('refuses unknown figures, and a load that the machine does not carry', async () => {
    const unknown = await place.run(['reproduce', 'jitter-uws-10k']);
    expect(unknown).toMatchObject({ code: 2, stdout: '' });
    expect(unknown.stderr).toMatch(/"jitter-uws-10k"; the nearest are bench-jitter-10k-uws/);
    expect(await place.run(['reproduce'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--list') });
    const large = await place.run(['reproduce', 'bench-idle-1m', '--repeat', '1']);
    expect(large).toMatchObject({ code: 2, stdout: '' });
    expect(large.stderr).toMatch(/Or take less: --scale 0\.\d+ is the largest that fits here/);
    const second = await place.run(['reproduce', 'bench-latency-1k', 'bench-idle-1m', '--repeat', '1']);
    expect(second).toMatchObject({ code: 2, stdout: '' });
    expect(second.stderr).toMatch(/^error: bench-idle-1m: /);
  });
});
