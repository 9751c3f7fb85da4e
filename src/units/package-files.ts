import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout, or the folder of the installed package: the first above this file that has a package.json. */
let root = dirname(fileURLToPath(import.meta.url));
while (!existsSync(join(root, 'package.json')) && root !== dirname(root)) root = dirname(root);

/** Returns the path of a file or folder of this package. Sources and compiled files find the same path. */
export function packageFile(...path: string[]): string {
  return join(root, ...path);
}

/** Path of the program `ringside`, which starts others of its kind. */
export const ringsideProgram: string = packageFile('dist/src/cli/main.js');

/** Returns true if the first version in a text is at least `least`. Numbers that one of them leaves out are 0. */
export function namesAtLeast(text: string, least: string): boolean {
  const [found, needed] = [numbersOf(text), numbersOf(least)];
  const at = needed.findIndex((number, index) => number !== (found[index] ?? 0));
  return at === -1 || (found[at] ?? 0) > needed[at]!;
}

function numbersOf(text: string): number[] {
  return /\d+(?:\.\d+)+/.exec(text)?.[0].split('.').map(Number) ?? [];
}
