import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from './command.js';
import type { Workplace } from './workplace.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const left = new Set(['node_modules', '.git', 'dist', 'results']);

/** A copy of the repository, in which a test adds to the code. */
export class CopiedTree {
  readonly #workplace: Workplace;
  readonly #folder: string;

  constructor(workplace: Workplace) {
    this.#workplace = workplace;
    this.#folder = join(workplace.folder, 'copy');
    const isCopied = (path: string): boolean => !left.has(relative(root, path)) && !path.endsWith('.map');
    cpSync(root, this.#folder, { recursive: true, preserveTimestamps: true, filter: isCopied });
    for (const kept of ['README.md', 'published', 'kept'])
      cpSync(join(root, 'results', kept), join(this.#folder, 'results', kept), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(this.#folder, 'node_modules'));
  }

  read(path: string): string {
    return readFileSync(join(this.#folder, path), 'utf8');
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.#folder, path)), { recursive: true });
    writeFileSync(join(this.#folder, path), text);
  }

  /** Adds an entry, with its import if it needs one, as the first of the list that a file exports under that name. */
  list(path: string, name: string, entry: string, imported = ''): void {
    const text = this.read(path);
    const changed = text.replace(new RegExp(`(export const ${name}\\b[^=]*= \\[)`), `$1${entry}, `);
    if (changed === text) throw new Error(`${path} exports no list called ${name}`);
    this.write(path, `${imported}${changed}`);
  }

  build(): Command {
    return this.#start([join(this.#folder, 'scripts/build.mjs')]);
  }

  /** Looks at the types of all that `ringside` imports. */
  check(): Command {
    const files = ['src/cli/main.ts'];
    this.write('check.json', JSON.stringify({ extends: './tsconfig.json', include: [], files }));
    const compiler = join(this.#folder, 'node_modules/typescript/bin/tsc');
    return this.#start([compiler, '--noEmit', '-p', join(this.#folder, 'check.json')]);
  }

  /** Starts `ringside` of the copy. */
  ringside(...args: string[]): Command {
    return this.#start([join(this.#folder, 'dist/src/cli/main.js'), ...args]);
  }

  /** Writes the generated parts of its pages. */
  docs(): Command {
    return this.#start([join(this.#folder, 'dist/scripts/docs.js')]);
  }

  #start(args: readonly string[]): Command {
    return this.#workplace.start(process.execPath, args);
  }
}
