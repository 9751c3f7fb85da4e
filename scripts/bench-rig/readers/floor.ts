import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onPath } from '../../../src/targets/launch/on-path.js';
import { packageFile } from '../../../src/units/package-files.js';
import { withDirectory } from '../processes/places.js';
import type { Missing } from './reader.js';

const compiler = 'cc';
const flags = ['-std=gnu11', '-O2', '-Wall', '-Wextra', '-pthread'];

/** The sources of the bench, which lie beside TypeScript and are not compiled into `dist`. */
export function sourcesOf(folder: string): string {
  return packageFile('scripts/bench-rig', folder);
}

/** Runs `work` with the path of the floor, compiled into a temporary folder, or with why it is not here. */
export function withFloor<T>(work: (floor: string | Missing) => Promise<T>): Promise<T> {
  if (onPath(compiler) === undefined)
    return work({ name: 'floor', lack: `needs a C compiler: apt-get install gcc libc6-dev` });
  return withDirectory(async (directory) => {
    const sources = sourcesOf('floor');
    const files = readdirSync(sources).filter((name) => name.endsWith('.c'));
    const program = join(directory, 'floor');
    await promisify(execFile)(compiler, [...flags, '-o', program, ...files], { cwd: sources });
    return work(program);
  });
}
