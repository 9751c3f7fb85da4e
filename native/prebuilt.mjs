import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile } from './compile.mjs';
import { packageOf, platforms, thisPlatform } from './platforms.mjs';

/*
 * Packs what npm gets of a release into a folder: `node native/prebuilt.mjs FOLDER` the package with the addon for this
 * platform, `node native/prebuilt.mjs FOLDER main` the package ringside-native, which names the packages of all
 * platforms. Only the packed one names them: in a checkout npm would ask a registry for versions that are not out yet.
 */
const own = fileURLToPath(new URL('.', import.meta.url));
const manifest = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'));

async function writePlatform(folder) {
  const platform = thisPlatform();
  const addon = join(folder, 'wire.node');
  const { lack, printed = '' } = await compile(addon, '-s', '-Werror');
  if (lack !== undefined) throw new Error(`${lack}\n${printed}`);
  refuseOtherLibc(addon, platform);
  // A cross compiler makes one for another platform, which does not load here.
  createRequire(import.meta.url)(addon);
  const { version, license, engines } = manifest;
  const description = `The addon of ringside-native for ${Object.values(platform).join(' ')}.`;
  const limits = Object.fromEntries(Object.entries(platform).map(([name, value]) => [name, [value]]));
  const name = packageOf(platform);
  writeManifest(folder, { name, version, description, license, engines, ...limits, main: 'wire.node' });
}

/** What an addon names its C library, if it needs one. */
const libraryNames = { glibc: /\0libc\.so\.6\0/, musl: /\0libc\.musl-[^\0]+\0/ };

/** An addon for the other C library may load, and fail later. */
function refuseOtherLibc(addon, { libc }) {
  const text = readFileSync(addon, 'latin1');
  const found = Object.keys(libraryNames).find((name) => libraryNames[name].test(text));
  if (found === undefined || found === libc) return;
  const compiler = process.env.CC || 'cc';
  const message = `${compiler} linked the addon with ${found}, and this Node runs on ${libc}`;
  throw new Error(`${message}: name a compiler for ${libc} with CC, or run a Node for ${found}`);
}

function writeMain(folder) {
  for (const name of manifest.files) cpSync(join(own, name), join(folder, name), { recursive: true });
  const optionalDependencies = Object.fromEntries(platforms.map((each) => [packageOf(each), manifest.version]));
  writeManifest(folder, { ...manifest, optionalDependencies });
}

function writeManifest(folder, content) {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(content, null, 2)}\n`);
}

const [output, what = 'platform'] = process.argv.slice(2);
if (output === undefined || !['platform', 'main'].includes(what)) throw new Error('expected: FOLDER [main]');
mkdirSync(output, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), 'ringside-prebuilt-'));
try {
  if (what === 'main') writeMain(folder);
  else await writePlatform(folder);
  cpSync(join(own, '../LICENSE'), join(folder, 'LICENSE'));
  const pack = ['pack', '--ignore-scripts', '--pack-destination', output, folder];
  process.exitCode = spawnSync('npm', pack, { stdio: 'inherit' }).status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}
