import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'ringside-image-'));
afterAll(() => rmSync(folder, { recursive: true }));

const dockerfile = readFileSync(new URL('../Dockerfile', import.meta.url), 'utf8');
const joined = dockerfile.replaceAll('\\\n', '');
const entrypoint = JSON.parse(/^ENTRYPOINT (.+)$/m.exec(joined)?.[1] ?? '[]') as string[];

/** The arguments that the program of the image would get. The folder holds a file that a glob would match. */
function given(args: string[], role?: string): string[] {
  writeFileSync(join(folder, 'a.internal'), '');
  const [shell = '', ...rest] = entrypoint.map((part) =>
    part.replaceAll('node dist/src/cli/main.js', String.raw`printf '%s\n'`),
  );
  const env = { PATH: process.env.PATH, ...(role !== undefined && { RINGSIDE_ROLE: role }) };
  return execFileSync(shell, [...rest, ...args], { cwd: folder, env, encoding: 'utf8' })
    .trimEnd()
    .split('\n');
}

it('runs as a numeric user that owns the results directory', () => {
  const [, user] = [...dockerfile.matchAll(/^USER (.+)$/gm)].at(-1) ?? [];
  expect(user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  expect(dockerfile).toContain(`RUN chown ${user} results\n`);
});

it('passes arguments unchanged, and otherwise the words of the role', () => {
  const args = ['bench-runner', '--allow-target', '*.internal', '--token', 'two words'];
  expect(given(args)).toEqual(args);
  expect(given([], 'target uws --host 0.0.0.0 *')).toEqual(['target', 'uws', '--host', '0.0.0.0', '*']);
  expect(given([])).toEqual(['bench-runner']);
  expect(given(['list', 'targets'], 'target uws')).toEqual(['list', 'targets']);
});

it('has every workspace before npm looks for it, and in the image', () => {
  const { workspaces } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const stages = dockerfile.split(/^FROM /m).slice(1);
  for (const name of workspaces as string[]) {
    expect(stages[0]?.split('RUN npm ci')[0]).toContain(`COPY ${name} ${name}\n`);
    expect(stages[1]).toContain(`/app/${name} ${name}\n`);
  }
});
