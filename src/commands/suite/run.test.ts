import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ProblemError, problem } from '../../contract/problems.js';
import { Journal } from '../../experiment/journal.js';
import { ResultStore } from '../../results/store.js';
import type { Plan } from '../../run/plan/plan.js';
import { makeEntries, type SuiteContext } from './command.js';
import { askedOfSuite } from './nights.js';
import { planSuite } from './plan.js';
import { readSuite } from './read.js';

const folder = mkdtempSync(join(tmpdir(), 'suite-run-'));
afterAll(() => rmSync(folder, { recursive: true }));

const text = 'name: a\nentries: [{ scenario: latency, targets: [ws] }, { scenario: echo, targets: [ws] }]\n';
const planned = planSuite(readSuite('a.yml', text), { flags: {}, env: {} }, 11);
const entries = planned.entries.map((entry) => ({ ...entry, plans: entry.plans.map(startable) as [Plan] }));
const plan = { ...planned, entries };
const startedAt = '2026-11-21T09:40:15.682Z';
const journal = new Journal(
  folder,
  { seed: 11, startedAt, asked: askedOfSuite(plan), runs: [] },
  new ResultStore(() => undefined),
);

/** Makes the target available whether or not its server is compiled. */
function startable(each: Plan): Plan {
  if (!each.target.isOurs) return each;
  const availability = async () => ({ isAvailable: true, version: '7' }) as const;
  return { ...each, target: { ...each.target, target: { ...each.target.target, availability } } };
}

function makeWith(withShards: SuiteContext['withShards']): ReturnType<typeof makeEntries> {
  const context = { withShards, interrupt: new AbortController().signal } as unknown as SuiteContext;
  return makeEntries(plan, journal, context);
}

it('an entry without shards fails with its targets, and the next entry is tried', async () => {
  let tried = 0;
  const boards = await makeWith(async () => {
    tried += 1;
    throw new ProblemError([problem('shardUnreachable', 'http://127.0.0.1:7 does not answer')]);
  });
  expect(tried).toBe(2);
  expect(boards.map(({ rows }) => rows.map(({ target, state, why }) => [target, state, why]))).toEqual(
    [0, 1].map(() => [['ws', 'failed', 'http://127.0.0.1:7 does not answer']]),
  );
});

it('an entry without shards throws an error that is no `ProblemError`', async () => {
  await expect(makeWith(() => Promise.reject(new TypeError('a fault')))).rejects.toThrow('a fault');
});
