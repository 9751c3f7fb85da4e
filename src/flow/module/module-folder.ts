import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageFile } from '../../units/package-files.js';

/** What bundles import, and what it resolves to here. */
const own = {
  'package.json': '{ "type": "module", "exports": { "./flow": "./flow.js" } }\n',
  'flow.js': `export * from ${JSON.stringify(pathToFileURL(packageFile('dist/src/flow/index.js')).href)};\n`,
};

/** A private temporary folder of modules, in which they find the `ringside-bench/flow` of this installation. */
export class ModuleFolder {
  #path: Promise<string> | undefined;

  /** Writes a module and returns its path. The first one makes the folder. */
  async write(digest: string, body: Uint8Array | string): Promise<string> {
    this.#path ??= makeFolder();
    const path = join(await this.#path, `${digest}.mjs`);
    const draft = `${path}.${randomUUID()}`;
    await writeFile(draft, body);
    // Another caller may have written it, and a worker may read it now.
    await rename(draft, path);
    return path;
  }

  async remove(): Promise<void> {
    if (this.#path !== undefined) await rm(await this.#path, { recursive: true, force: true });
  }
}

async function makeFolder(): Promise<string> {
  // Only its user may enter it.
  const path = await mkdtemp(join(tmpdir(), 'ringside-modules-'));
  const folder = join(path, 'node_modules/ringside-bench');
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(own)) await writeFile(join(folder, name), text);
  return path;
}
