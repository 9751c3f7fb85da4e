import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { goldenRun } from '../../test/kept-golden.js';
import { named } from '../../test/refusal.js';
import { askedOfSuite } from '../commands/suite/nights.js';
import { planSuite } from '../commands/suite/plan.js';
import { readSuite } from '../commands/suite/read.js';
import type { Problem, ProblemError } from '../contract/problems.js';
import type { KeptJournal } from '../results/journal.js';
import { ResultStore, readExperiment } from '../results/store.js';
import { compareSchema, planCompare, readOptions } from '../run/plan/plan.js';
import { scenarioByName } from '../scenarios/list.js';
import { askedOf, openJournal, readJournal, withSeed } from './journal.js';

const folder = mkdtempSync(join(tmpdir(), 'journal-'));
afterAll(() => rmSync(folder, { recursive: true }));

const cellsOf = (flags: Record<string, unknown> = {}) => {
  const scenario = scenarioByName('latency')!;
  const read = readOptions(compareSchema(scenario), { flags: { targets: ['ws', 'uws'], ...flags }, env: {} });
  return planCompare(scenario, read).plans.map((plan) => ({ plan, label: plan.target.name }));
};
const notKept = ({ message }: Problem): void => {
  throw new Error(message);
};
const askedFor = (cells = cellsOf(), repeat = 3) => askedOf(cells, { 'runs of each': repeat });
const place = { resultsDir: folder, name: ['latency', 'compare', '2x3'] as const };
const resumed = (resume: string, asked = askedFor()) => openJournal({ ...place, resume, seed: 11, asked }, notKept);

async function begin(name: string): Promise<string> {
  const directory = join(folder, name);
  const journal = await openJournal({ ...place, directory, seed: 7919, asked: askedFor() }, notKept);
  for (const round of [0, 1]) {
    const own = join(directory, `run-${round}`);
    const result = goldenRun('ws', 1);
    if (round === 0) await new ResultStore(notKept).keep(own, { 'result.json': result });
    await journal.record('ws', round, { directory: own, result, found: { seven: 7 }, atMs: 7 });
  }
  return directory;
}

const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => [],
    (error: unknown) => (error as ProblemError).problems,
  );

describe('an experiment that was begun', () => {
  const refused = (directory: string, ...asked: Parameters<typeof askedFor>) =>
    refusal(resumed(directory, askedFor(...asked)));

  it('goes on with its seed and the runs that can be read', async () => {
    const directory = await begin('whole');
    const { startedAt } = await readJournal(directory);
    const journal = await resumed(directory);
    expect(journal.kept).toMatchObject({
      seed: 7919,
      startedAt,
      runs: [{ label: 'ws', round: 0, directory: 'run-0' }],
    });
    expect(journal.done('ws', 0)).toMatchObject({ directory: join(directory, 'run-0'), found: { seven: 7 }, atMs: 7 });
    expect([journal.done('ws', 1), journal.done('uws', 0)]).toEqual([undefined, undefined]);
    expect(withSeed(cellsOf(), journal.kept.seed).map(({ plan }) => plan.fleet.seed)).toEqual([7919, 7919]);
  });

  it('does not go on as another one, and says everything that differs', async () => {
    const directory = await begin('other');
    const shapes = await refused(directory, cellsOf({ clients: '7' }));
    expect(shapes).toEqual([named('badOption', directory, 'ws'), named('badOption', directory, 'uws')]);
    expect(await refused(directory, cellsOf().slice(1))).toEqual([named('badOption', directory, 'ws')]);
    expect(await refused(directory, cellsOf(), 5)).toEqual([named('badOption', 3, 5)]);
    expect(await refused(directory, cellsOf({ workers: '2' }))).toHaveLength(2);
    expect(await refused(join(folder, 'nowhere'))).toEqual([named('notFound', 'nowhere')]);
  });

  it('does not go on with another version', async () => {
    const directory = await begin('older');
    const kept = await readJournal(directory);
    const older = { ...kept, asked: { ...kept.asked, Ringside: '0.0.7' } };
    const store = new ResultStore(notKept);
    await store.keep(directory, { 'experiment.json': { ...(await readExperiment(directory)), journal: older } });
    expect(await refusal(resumed(directory))).toEqual([named('badOption', '0.0.7')]);
  });
});

describe('a suite that was begun', () => {
  const text = 'name: a\nentries: [{ scenario: latency, targets: [ws] }, { scenario: echo, targets: [ws] }]\n';
  const asked = (flags: Record<string, unknown> = {}, more = ''): KeptJournal['asked'] =>
    askedOfSuite(planSuite(readSuite('a.yml', text + more), { flags, env: {} }, 11));
  const refused = async (now: KeptJournal['asked']) => {
    const directory = join(folder, 'suite');
    await openJournal({ ...place, directory, seed: 11, asked: asked() }, notKept);
    return refusal(resumed(directory, now));
  };

  it('goes on with the same file', async () => {
    expect(await refused(asked())).toEqual([]);
  });

  it('does not go on with a changed file, even by a comment', async () => {
    expect(await refused(asked({}, '# new\n'))).toEqual([named('badOption', 'hash')]);
  });

  it('does not go on with another number of shards, nor with other shapes', async () => {
    const shards = await refused(asked({ localShards: '2' }));
    expect(shards).toEqual([named('badOption', 'latency', 1, 2), named('badOption', 'echo', 1, 2)]);
    const other = { ...asked(), 'latency of shape': '000000000000', 'echo of shape': '000000000000' };
    expect(await refused(other)).toHaveLength(2);
  });
});
