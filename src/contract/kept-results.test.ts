import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { experiment } from '../results/experiment.js';
import { runResult } from '../results/result.js';

const root = fileURLToPath(new URL('../../results/kept/', import.meta.url));
const directories = readdirSync(root);

it('kept results are runs, reproductions and answers of `npm run bench:answers`', () => {
  const files = directories.map((directory) => readdirSync(`${root}${directory}`));
  const whole = ['result.json', 'experiment.json.gz', 'answers.json'];
  const isWhole = (each: string[]): boolean => each.some((name) => whole.includes(name));
  expect(files.filter((each) => !isWhole(each))).toEqual([]);
  expect(directories.filter((directory) => existsSync(`${root}${directory}/result.json`))).not.toEqual([]);
});

it.each(directories)('kept results %s still parses, with every sample file that it names', (directory) => {
  const read = (name: string): unknown => JSON.parse(readFileSync(`${root}${directory}/${name}`, 'utf8'));
  const has = (name: string): boolean => existsSync(`${root}${directory}/${name}`);
  if (has('experiment.json.gz')) {
    const kept = experiment.parse(
      JSON.parse(String(gunzipSync(readFileSync(`${root}${directory}/experiment.json.gz`)))),
    );
    expect('published' in kept && kept.published).toBeTruthy();
  }
  if (!has('result.json')) return;
  const result = runResult.parse(read('result.json'));
  for (const { file } of Object.values(result.samples)) expect(has(file)).toBe(true);
});
