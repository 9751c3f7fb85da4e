import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { parseYaml } from '../../../units/yaml-file.js';
import type { ShardSource } from './source.js';

const listed = z.union([
  z.array(z.string()),
  z.object({ shards: z.array(z.string()) }).transform(({ shards }) => shards),
]);

/** A file with one URL per line, or YAML: a list, or a list under `shards`. */
export const file: ShardSource = {
  name: 'file',
  asks: 'the file',
  argument: { word: 'PATH', means: 'file with one URL per line, or a YAML list', isNeeded: true },
  hint: 'Write one URL per line, or a YAML list of them. `#` begins a comment.',
  async find(path = '') {
    return { urls: readUrls(await readFile(path, 'utf8')), pending: [] };
  },
};

/** The URLs in the text of such a file. Throws for any other text. */
export function readUrls(text: string): string[] {
  const lines = text.split('\n').map((line) => line.replace(/(^|\s)#.*$/, '').trim());
  const filled = lines.filter((line) => line !== '');
  if (filled.every((line) => /^[a-z+]+:\/\/\S+$/i.test(line))) return filled;
  const read = listed.safeParse(parseYaml(text));
  if (!read.success) throw new Error('expected one URL per line, or a YAML list of URLs');
  return read.data;
}
