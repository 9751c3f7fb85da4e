import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { isExecutable, onPath } from './on-path.js';

/** An executable binary, or why there is none. */
export type Found = { path: string } | { why: string };

/** The binary that an environment variable names; undefined when it names none. */
export function binaryOf(variable: string): Found | undefined {
  const path = process.env[variable];
  if (!path) return undefined;
  return isExecutable(path) ? behindLauncher(path) : { why: `${variable} is ${path}, which is not an executable file` };
}

/** The first `anycable-go` on PATH. */
export function binaryOnPath(): Found | undefined {
  const path = onPath('anycable-go');
  return path === undefined ? undefined : behindLauncher(path);
}

/** The binary that the optional npm package has downloaded already. */
export function binaryOfPackage(): Found | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve('@anycable/anycable-go/package.json');
    return behindLauncher(join(dirname(manifest), 'bin', 'index.mjs'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

/** The npm package's script runs the binary as a child that no signal reaches, so only that binary is run. */
function behindLauncher(path: string): Found {
  const real = realpathSync(path);
  if (extname(real) !== '.mjs') return { path };
  const binary = join(dirname(real), 'anycable-go');
  return isExecutable(binary)
    ? { path: binary }
    : { why: 'the npm package @anycable/anycable-go has not downloaded its binary' };
}
