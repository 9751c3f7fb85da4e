import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { cargoProgram, crate, erlangServer, goProgram, wheel } from './fillings.js';
import { InstallError, install } from './install.js';
import { bunNeed } from './list.js';
import { type FilledNeed, folderOf, homeVariable, isInstalled, needsFolder } from './need.js';

let home: string;
const need: FilledNeed = { ...bunNeed, proof: (folder) => [join(folder, 'program'), '--version'] };

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ringside-home-'));
  vi.stubEnv(homeVariable, home);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});

/** Puts a program in front of the real one. It runs `script` in the folder that it is given. */
function standIn(name: string, script: string): void {
  const folder = join(home, 'bin');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env.PATH}`);
}

const npmThat = (script: string): void => standIn('npm', script);
const installing = (signal = new AbortController().signal, what = need) => install(what, signal);
const program = (version: string) => `printf '#!/bin/sh\\necho ${version}\\n' > program; chmod +x program`;
const left = () => (existsSync(needsFolder()) ? readdirSync(needsFolder()) : []);

it('fills a folder beside the place, proves it and moves it there, once', async () => {
  npmThat(`[ "$1" = ci ] && [ -f package-lock.json ] && pwd >> ${join(home, 'calls')} && ${program(need.version)}`);
  await installing();
  expect(isInstalled(need)).toBe(true);
  expect(readdirSync(folderOf(need)).sort()).toEqual(['package-lock.json', 'package.json', 'program']);
  expect(left()).toHaveLength(1);
  rmSync(join(home, 'calls'));
  await installing();
  expect(existsSync(join(home, 'calls'))).toBe(false);
});

it.each([
  ['npm fails', 'exit 7', /exit code 7/],
  ['its program names another version', program('0.0.7'), /0\.0\.7/],
  ['its program does not run', 'echo > program', /program/],
])('leaves nothing where %s', async (_why, script, said) => {
  npmThat(script);
  const error = await installing().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InstallError);
  expect((error as Error).message).toMatch(said);
  expect(left()).toEqual([]);
});

it('leaves nothing where it is interrupted', async () => {
  const ending = new AbortController();
  // Not the program itself is slow, but one that it started.
  const slow = `trap 'touch ${join(home, 'ended')}; exit' TERM; touch ${join(home, 'started')}`;
  npmThat(`(${slow}; while :; do sleep 0.1; done) & wait`);
  const ended = installing(ending.signal).catch((thrown: unknown) => thrown);
  await expect.poll(() => existsSync(join(home, 'started')), { timeout: 30_000 }).toBe(true);
  ending.abort();
  expect(await ended).toBeInstanceOf(InstallError);
  expect(left()).toEqual([]);
  await expect.poll(() => existsSync(join(home, 'ended')), { timeout: 30_000 }).toBe(true);
});

/** Stand-ins for compilers write down what they are asked, and make the program that was asked for. */
const make = `printf '#!/bin/sh\\necho 1.5.3\\n' > "$place"; chmod +x "$place"`;
const asked = 'echo "$@" > "$HOME/asked"; ';

const pins = 'thing==1.5.3 --hash=sha256:7f --hash=sha256:0a';

it.each([
  {
    kind: 'a Go program',
    filling: goProgram('ws'),
    stub: ['go', `${asked} while [ "$1" != -o ]; do shift; done; place=$2; ${make}`],
    path: 'ws',
    words: ['-mod=readonly'],
  },
  {
    kind: 'a Cargo program of servers/',
    filling: cargoProgram('ws', '1.0'),
    stub: ['cargo', `${asked} shift 5; mkdir bin target; place=bin/ws; touch target/lib; ${make}`],
    path: 'bin/ws',
    words: ['--path', '--locked'],
  },
  {
    kind: 'a published crate',
    filling: crate('thing@1.5.3 --features a,b', '1.0', []),
    stub: ['cargo', `${asked} mkdir bin target; place=bin/thing; ${make}`],
    path: 'bin/thing',
    words: ['thing@1.5.3', '--features', 'a,b', '--locked'],
  },
  {
    kind: 'a Python wheel',
    filling: wheel('thing==1.5.3', ['7f', '0a']),
    stub: ['python3', `${asked} [ "$(cat pins)" = '${pins}' ] && mkdir bin && place=bin/thing; ${make}`],
    path: 'bin/thing',
    words: ['--require-hashes', '--no-deps', '-r', 'pins'],
  },
])('installs $kind, and nothing beside it', async ({ filling, stub: [name, script], path, words }) => {
  vi.stubEnv('HOME', home);
  standIn(name!, script!);
  const what = { ...need, filling, version: '1.5.3', proof: (folder: string) => [join(folder, path)] as const };
  await installing(undefined, what);
  expect(existsSync(join(folderOf(what), path))).toBe(true);
  expect(existsSync(join(folderOf(what), 'target'))).toBe(false);
  expect(readFileSync(join(home, 'asked'), 'utf8').trim().split(' ')).toEqual(expect.arrayContaining(words));
  expect(left()).toHaveLength(1);
});

it('keeps of a Debian package the Erlang libraries that are asked for, and compiles a server with them', async () => {
  const plugins = join(home, 'tree/usr/lib/program/plugins');
  for (const name of ['thing-1.5.3', 'other-7.11']) mkdirSync(join(plugins, name, 'ebin'), { recursive: true });
  standIn('apt-get', 'touch program.deb');
  standIn('dpkg', `tar -C ${join(home, 'tree')} -c .`);
  standIn('erlc', `[ -d $ERL_LIBS/thing-1.5.3/ebin ] && place=$2/program && ${make}`);
  const filling = erlangServer('cowboy', ['thing']);
  const proof = (folder: string) => [join(folder, 'ebin/program')] as const;
  const what = { ...need, filling, version: '1.5.3', proof };
  await installing(undefined, what);
  expect(readdirSync(folderOf(what)).sort()).toEqual(['ebin', 'lib']);
  expect(readdirSync(join(folderOf(what), 'lib'))).toEqual(['thing-1.5.3']);
});

it('removes what a killed install left behind, and takes it for no install', async () => {
  mkdirSync(join(needsFolder(), `.${need.name}`, 'node_modules'), { recursive: true });
  expect(isInstalled(need)).toBe(false);
  npmThat(program(need.version));
  await installing();
  expect(left()).toEqual([expect.stringMatching(/^bun-[0-9a-f]{12}$/)]);
  expect(readdirSync(folderOf(need))).not.toContain('node_modules');
});
