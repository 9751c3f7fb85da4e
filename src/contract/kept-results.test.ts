import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runResult } from '../results/result.js';

const kept = fileURLToPath(new URL('../../results/kept/', import.meta.url));
const directories = readdirSync(kept);

describe('the results that are kept in the repository', () => {
  it('are there', () => {
    expect(directories.length).toBeGreaterThan(0);
  });

  it.each(directories)('%s still parses, with every sample file that it names', (directory) => {
    const result = runResult.parse(JSON.parse(readFileSync(`${kept}${directory}/result.json`, 'utf8')));
    for (const { file } of Object.values(result.samples)) expect(existsSync(`${kept}${directory}/${file}`)).toBe(true);
  });
});
