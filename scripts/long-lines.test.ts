import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'ringside-lines-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('finds lines over 120 columns outside tables, addresses and pasted output', () => {
  const long = 'é'.repeat(121);
  const lines = [long, 'é'.repeat(120), `| ${long} |`, `https://example.com/${long}`];
  const fences = ['```text', long, '```', '```sh run', long, '```'];
  const page = join(folder, 'page.md');
  writeFileSync(page, [...lines, ...fences].join('\n'));
  const { stdout, status } = spawnSync(process.execPath, ['scripts/long-lines.mjs', page], { encoding: 'utf8' });
  expect(stdout.trim().split('\n')).toEqual([`${page}:1: over 120 columns`, `${page}:9: over 120 columns`]);
  expect(status).toBe(1);
});
