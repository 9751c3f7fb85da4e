import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/** Version of an installed package, with the package's own name behind it where it is installed under an alias. Throws when it is not installed. */
export function packageVersion(name: string): string {
  // Not every package exports its package.json, so it is looked for above the main module.
  for (let folder = dirname(require.resolve(name)); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = manifestIn(folder);
    if (manifest?.version === undefined) continue;
    return manifest.name === name ? manifest.version : `${manifest.version} (${manifest.name})`;
  }
  throw new Error(`no package.json with a version above the main module of ${name}`);
}

function manifestIn(folder: string): { name?: string; version?: string } | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
