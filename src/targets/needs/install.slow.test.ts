import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { built } from '../../../test/built.js';
import { needs } from './list.js';
import { installLack, isFilled } from './need.js';

const home = mkdtempSync(join(tmpdir(), 'ringside-home-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const main = built('src/cli/main.js');
const hasRegistry = spawnSync('npm', ['view', '@socket.io/bun-engine@0.1.0', 'version']).status === 0;
/** What is here to be had, and does not build for minutes. */
const quick = needs.filter(
  (need) => isFilled(need) && !need.filling.script.startsWith('cargo') && installLack([need]) === undefined,
);

/** Downloads from registries; skipped where that of npm is not to be had. */
describe.skipIf(!hasRegistry)('ringside install', () => {
  it.each(quick)('installs $name, and names it as installed', ({ name }) => {
    const run = (...args: string[]) =>
      execFileSync(process.execPath, [main, 'install', ...args], {
        env: { ...process.env, RINGSIDE_HOME: home },
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    const state = () => JSON.parse(run(name, '--list', '--json')) as object[];
    expect(state()).toMatchObject([{ name, state: 'not installed' }]);
    run(name);
    expect(state()).toMatchObject([{ name, state: 'installed' }]);
  });
});
