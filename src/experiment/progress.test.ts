import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { goldenRun } from '../../test/kept-golden.js';
import { plannedComparison } from '../../test/planned.js';
import { named } from '../../test/refusal.js';
import type { ProblemError } from '../contract/problems.js';
import { ResultStore } from '../results/store.js';
import { scenarioByName } from '../scenarios/list.js';
import type { Cell } from './cells.js';
import { beginProgress, resumeProgress, withSeed } from './progress.js';

const folder = mkdtempSync(join(tmpdir(), 'progress-'));
afterAll(() => rmSync(folder, { recursive: true }));

const store = new ResultStore(({ message }) => {
  throw new Error(message);
});
const cellsOf = (flags: Record<string, unknown> = {}): Cell[] => {
  const asked = { flags: { targets: ['ws', 'uws'], ...flags }, env: {}, file: {} };
  return plannedComparison(scenarioByName('latency')!, asked).plans.map((plan) => ({ plan, label: plan.target.name }));
};
const startedAt = '2026-11-21T09:40:15.682Z';

async function begin(name: string): Promise<string> {
  const directory = join(folder, name);
  const { journal } = await beginProgress(directory, cellsOf(), { repeat: 3, startedAt, seed: 7919 }, store);
  for (const round of [0, 1]) {
    const own = join(directory, `run-${round}`);
    const result = goldenRun('ws', 1);
    if (round === 0) await store.keep(own, { 'result.json': result });
    await journal.record('ws', round, { directory: own, result });
  }
  return directory;
}

const refused = (directory: string, cells: readonly Cell[], repeat = 3): Promise<unknown> =>
  resumeProgress(directory, cells, repeat, store).then(
    () => [],
    (error: unknown) => (error as ProblemError).problems,
  );

describe('an experiment that was begun', () => {
  it('goes on with its seed and the runs that can be read', async () => {
    const directory = await begin('whole');
    const { journal, seed, startedAt: began } = await resumeProgress(directory, cellsOf(), 3, store);
    expect([seed, began]).toEqual([7919, startedAt]);
    expect(journal.done('ws', 0)).toMatchObject({ directory: join(directory, 'run-0') });
    expect([journal.done('ws', 1), journal.done('uws', 0)]).toEqual([undefined, undefined]);
    expect(withSeed(cellsOf(), seed).map(({ plan }) => plan.fleet.seed)).toEqual([7919, 7919]);
  });

  it('does not go on as another one', async () => {
    const directory = await begin('other');
    expect(await refused(directory, cellsOf({ subscribers: '7' }))).toEqual([named('badOption', directory)]);
    expect(await refused(directory, cellsOf().slice(1))).toEqual([named('badOption', directory)]);
    expect(await refused(directory, cellsOf(), 5)).toEqual([named('badOption', 3, 5)]);
    expect(await refused(join(folder, 'nowhere'), cellsOf())).toEqual([named('notFound', 'nowhere')]);
  });
});
