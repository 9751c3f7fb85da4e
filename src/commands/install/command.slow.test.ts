import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { asJson, named, problemsIn } from '../../../test/refusal.js';
import { workplace } from '../../../test/workplace.js';
import { needs } from '../../targets/needs/list.js';
import type { NeedRow } from './command.js';

const place = workplace();
const home = { RINGSIDE_HOME: join(place.folder, 'home') };

/** The environment in which `npm` runs a script instead. */
function npmThat(script: string): Record<string, string> {
  const folder = join(place.folder, 'bin');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, 'npm'), 0o755);
  return { ...home, PATH: `${folder}${delimiter}${process.env.PATH}` };
}

async function listed(...names: string[]): Promise<NeedRow[]> {
  const { stdout, code } = await place.run(['install', ...names, '--list', '--json'], home);
  expect(code).toBe(0);
  return JSON.parse(stdout) as NeedRow[];
}

it('lists everything that can be installed, with its size and its command, and installs nothing', async () => {
  const rows = await listed();
  expect(rows.map(({ name }) => name)).toEqual(needs.map(({ name }) => name));
  for (const { megabytes, command } of rows)
    expect(command).toContain(megabytes === null ? 'apt-get install' : home.RINGSIDE_HOME);
  const filled = rows.filter(({ megabytes }) => megabytes !== null);
  expect(new Set(filled.map(({ state }) => state))).not.toContain('installed');
});

it('installs by the name of the thing, and names it as installed', async () => {
  const program = 'node_modules/@soketi/soketi/bin/server.js';
  const npm = npmThat(`mkdir -p $(dirname ${program}) && echo 'console.log("1.6.1")' > ${program}`);
  const ended = await place.run(['install', 'soketi'], npm);
  expect(ended).toMatchObject({ code: 0, stdout: '' });
  expect(await listed('soketi')).toMatchObject([{ state: 'installed' }]);
});

it('refuses names that it does not know, no name, and says how npm failed', async () => {
  expect(await place.refused(['install', 'nonsense', 'bun', 'nothing'], home)).toEqual([
    named('unknownName', 'nonsense'),
    named('unknownName', 'nothing'),
  ]);
  expect(await place.refused(['install'], home)).toEqual([named('badOption')]);
  const failing = npmThat('echo "npm error code ENOTFOUND" >&2; exit 1');
  const ended = await place.run(['install', 'bun'], { ...asJson, ...failing });
  expect(problemsIn(ended)).toEqual([named('notInstalled', 'bun', 'exit code 1')]);
  expect(ended.stderr).toContain('ENOTFOUND');
});

it('refuses before it installs anything, with all that the system lacks', async () => {
  const bare = { ...home, PATH: place.folder };
  const problems = await place.refused(['install', 'bun', 'gorilla', 'socketioxide'], bare);
  expect(problems).toEqual([named('targetUnavailable', 'npm', 'go', 'cargo')]);
  expect(problems[0]?.hint).toMatch(/apt-get install \S+ npm golang-go cargo-web gcc libc6-dev\. .*rustup/);
});
