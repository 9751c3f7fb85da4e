import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A file of the compiled tree: `dist`, or what `RINGSIDE_DIST` names, from the root of the repository. */
export function built(path: string): string {
  return join(resolve(root, process.env.RINGSIDE_DIST ?? 'dist'), path);
}
