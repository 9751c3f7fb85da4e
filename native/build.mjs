import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { built, compile, isFresh } from './compile.mjs';
import { prebuilt } from './index.mjs';

/*
 * The install script: builds the addon with the C compiler of this machine. Without one it says why, keeps that for the
 * loader, and ends well, because Ringside runs without the addon. With `--check` it only looks for errors and warnings.
 */
async function build() {
  if (prebuilt().addon || isFresh()) return;
  mkdirSync(built.folder, { recursive: true });
  const output = outputHere();
  const { lack } = await compile(output);
  if (lack === undefined) {
    renameSync(output, built.addon);
    rmSync(built.lack, { force: true });
    return;
  }
  for (const path of [output, built.addon]) rmSync(path, { force: true });
  writeFileSync(built.lack, lack);
  say(lack);
}

async function check() {
  mkdirSync(built.folder, { recursive: true });
  const output = outputHere();
  const { lack, printed = '' } = await compile(output, '-Werror');
  rmSync(output, { force: true });
  if (lack === undefined) return;
  say(`${lack}\n${printed}`.trimEnd());
  if (printed !== '') process.exitCode = 1;
}

/** A process that runs keeps the old file, and two builds at once do not mix. */
function outputHere() {
  return `${built.addon}.${process.pid}`;
}

function say(line) {
  process.stdout.write(`ringside-native: no native engine here: ${line}\n`);
}

if (process.argv.includes('--check')) await check();
else await build().catch((error) => say(error.message));
