import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { reproduction } from '../commands/reproduce/reproduction.js';
import { knee } from '../commands/search/knee/row.js';
import { comparison } from '../results/comparison.js';
import { runResult } from '../results/result.js';

const kept = fileURLToPath(new URL('../../results/kept/', import.meta.url));
const directories = readdirSync(kept);

it('kept results are runs, reproductions and answers of `npm run bench:answers`', () => {
  const files = directories.map((directory) => readdirSync(`${kept}${directory}`));
  const whole = ['result.json', 'reproduction.json', 'answers.json'];
  const isWhole = (each: string[]): boolean => each.some((name) => whole.includes(name));
  expect(files.filter((each) => !isWhole(each))).toEqual([]);
  expect(directories.filter((directory) => existsSync(`${kept}${directory}/result.json`))).not.toEqual([]);
});

it.each(directories)('kept results %s still parses, with every sample file that it names', (directory) => {
  const read = (name: string): unknown => JSON.parse(readFileSync(`${kept}${directory}/${name}`, 'utf8'));
  const has = (name: string): boolean => existsSync(`${kept}${directory}/${name}`);
  if (has('reproduction.json')) expect(reproduction.safeParse(read('reproduction.json')).error).toBeUndefined();
  const unpacked = (name: string): unknown =>
    JSON.parse(String(gunzipSync(readFileSync(`${kept}${directory}/${name}`))));
  for (const [name, schema] of Object.entries({ 'comparison.json.gz': comparison, 'knee.json.gz': knee }))
    if (has(name)) expect(schema.safeParse(unpacked(name)).error).toBeUndefined();
  if (!has('result.json')) return;
  const result = runResult.parse(read('result.json'));
  for (const { file } of Object.values(result.samples)) expect(has(file)).toBe(true);
});
