import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';

/** A temporary folder with a user's files, removed after the last test. Returns the path of one by its name. */
export function flowFiles(files: Readonly<Record<string, string>>): (name: string) => string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ringside-flows-')));
  afterAll(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return (name) => join(folder, name);
}
