import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import { afterAll } from 'vitest';
import { packageFile } from '../src/units/package-files.js';
import { built } from './built.js';

/** The URL of a module, compiled with all of ours that it imports, for a process that a test starts. */
export async function compiled(path: string): Promise<string> {
  const folder = mkdtempSync(built('compiled-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'module.js');
  const output = { file, codeSplitting: false };
  await build({ input: packageFile(path), external: /^[@a-z]/i, platform: 'node', logLevel: 'warn', output });
  return pathToFileURL(file).href;
}
