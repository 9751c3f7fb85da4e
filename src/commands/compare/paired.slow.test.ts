import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keptDirectory, workplace } from '../../../test/workplace.js';
import { comparison } from '../../results/comparison.js';
import { runFile, runResult } from '../../results/result.js';

const place = workplace();

it('finds slots, compares managed targets, stops neighbours in turn, and loses nothing by that', async () => {
  const flags = ['--target', 'ws', '--target', 'uws', '--subscribers', '13', '--starts', '3', '--rounds', '12'];
  const ended = await place.measure(['compare', 'latency', ...flags, '--json']);
  const { paired, rows, fingerprint } = comparison.parse(JSON.parse(ended.stdout));
  expect(paired!.slotMs).toBeGreaterThanOrEqual(20);
  expect(paired!.crowd?.map(({ target }) => target)).toEqual(['ws', 'uws']);
  expect(rows.map(({ runs }) => runs.length)).toEqual([paired!.starts.length, paired!.starts.length]);
  const directory = keptDirectory(ended);
  for (const part of ['pilot', 'alone']) {
    const runs = readdirSync(join(directory, part)).map((name) => join(directory, part, name, runFile));
    expect(runs).toHaveLength(3);
    for (const file of runs) {
      const { ledger, stop } = runResult.parse(JSON.parse(readFileSync(file, 'utf8')));
      expect([stop.code, ledger.lost, ledger.expected]).toEqual(['completed', 0, ledger.delivered]);
    }
  }
  const shown = await place.run(['show', directory, '--json']);
  expect(comparison.parse(JSON.parse(shown.stdout))).toMatchObject({ fingerprint, paired });
});
