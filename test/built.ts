import { packageFile } from '../src/units/package-files.js';

/** A file of the compiled tree. */
export function built(path: string): string {
  return packageFile('dist', path);
}
