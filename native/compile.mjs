import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
// A symbol that is not there is known when the addon is loaded, and ends no process later. Ours are hidden: Node
// exports all of OpenSSL, which has functions of the same names.
const code = ['-std=gnu11', '-O2', '-shared', '-fPIC', '-pthread', '-fvisibility=hidden'];
const flags = [...code, '-Wl,-z,now', '-Wall', '-Wextra'];

/** Where the install script puts the addon, and why there is none. */
export const built = { folder: `${folder}build`, addon: `${folder}build/wire.node`, lack: `${folder}build/lack.txt` };

const entries = () => readdirSync(`${folder}src`).map((name) => `${folder}src/${name}`);
const timeOf = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs;

/** Whether the addon was built from these sources. */
export function isFresh() {
  const builtAt = timeOf(built.addon) ?? 0;
  return [...entries(), `${folder}compile.mjs`].every((path) => timeOf(path) <= builtAt);
}

/** Compiles the addon into a file. Gives why that is not possible here, in a line, and what the compiler printed. */
export async function compile(output, ...moreFlags) {
  if (process.platform !== 'linux') return { lack: `the native engine needs Linux, and this is ${process.platform}` };
  const headers = await import('node-api-headers').catch(() => undefined);
  if (headers === undefined) return { lack: 'the package node-api-headers is not installed' };
  const sources = entries().filter((path) => path.endsWith('.c'));
  const compiler = process.env.CC || 'cc';
  const include = ['-I', headers.default.include_dir];
  const { error, status, stderr } = spawnSync(
    compiler,
    [...flags, ...moreFlags, ...include, '-o', output, ...sources],
    { encoding: 'utf8' },
  );
  if (error?.code === 'ENOENT') return { lack: `there was no C compiler (${compiler}) at the installation` };
  if (error) return { lack: `the C compiler (${compiler}) did not start: ${error.code}` };
  if (status === 0) return { printed: stderr };
  const [first = `it ended with ${status}`] = stderr.split('\n').filter((line) => line.includes('error'));
  return { lack: `the C compiler (${compiler}) failed: ${first}`, printed: stderr };
}
