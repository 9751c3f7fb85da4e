import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';

/** Whether tests can compile C here. */
export const hasCompiler =
  process.platform === 'linux' && spawnSync(process.env.CC || 'cc', ['--version']).status === 0;

/** C source of an addon whose only export is a number. */
export function placeholder(answer: number): string {
  return `#include <node_api.h>

NAPI_MODULE_INIT() {
  napi_value answer;
  napi_create_uint32(env, ${answer}, &answer);
  napi_set_named_property(env, exports, "answer", answer);
  return exports;
}
`;
}

/** For one test: the scripts of `native/` in a folder of their own, over the source of a placeholder. */
export function copiedNative(environment: NodeJS.ProcessEnv = {}, folder = newCopy()) {
  const node = (...args: string[]) =>
    spawnSync(process.execPath, args, { encoding: 'utf8', env: { ...process.env, ...environment } });
  return {
    folder,
    install(...args: string[]): { status: number | null; lines: string[] } {
      const { status, stdout, stderr } = node(join(folder, 'build.mjs'), ...args);
      return { status, lines: (stdout + stderr).split('\n').filter((line) => line !== '') };
    },
    load(): unknown {
      const loader = pathToFileURL(join(folder, 'index.mjs')).href;
      const script = `const { loadAddon } = await import('${loader}'); console.log(JSON.stringify(loadAddon()));`;
      return JSON.parse(node('--input-type=module', '--eval', script).stdout);
    },
  };
}

function newCopy(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ringside-native-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeNative(folder);
  return folder;
}

/** Writes the package `ringside-native` to a folder, with a placeholder for the engine. */
export function writeNative(folder: string): void {
  for (const name of readdirSync('native').filter((each) => /\.m[jt]s$|^package\.json$/.test(each)))
    cpSync(join('native', name), join(folder, name));
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src/wire.c'), placeholder(42));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(resolve('node_modules/node-api-headers'), join(folder, 'node_modules/node-api-headers'));
}
