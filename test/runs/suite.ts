import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Comparison, comparison } from '../../src/results/comparison.js';
import { experiment, type SuiteResult, suiteResult } from '../../src/results/experiment.js';
import type { Command } from '../command.js';
import { workplace } from '../workplace.js';

export const place = workplace();

export const env = { RINGSIDE_RESULTS: join(place.folder, 'results') };

export const results = join(place.folder, 'results');

/** Two entries, two targets that can be started and one that cannot, a few broadcasts. */
export function suiteFile(name: string, more = ''): string {
  const path = join(place.folder, `${name}.yml`);
  const text = `name: ${name}
seed: 7
targets: [ws, anycable, uws]
repeat: 2
options: { rampRate: 500/s, drain: 5s }
entries:
  - scenario: latency
    options: { clients: 13, broadcasts: 11, rate: 20/s, warmUp: 3 }
    thresholds: [lost==0]
  - name: calls
    scenario: echo
    targets: [ws, uws]
    repeat: 1
    options: { clients: 17, rate: 5/s, duration: 1s }
    thresholds: [lost==0]
${more}`;
  writeFileSync(path, text);
  return path;
}

const nowhere = { ...env, ANYCABLE_GO_BIN: '/nowhere/anycable-go' };

export const begin = (path: string, flags: readonly string[] = [], more: Record<string, string> = {}): Command =>
  place.ringside(['suite', 'run', path, ...flags], { ...nowhere, ...more });

export function directoryOf(name: string): string {
  const [found, ...others] = readdirSync(results).filter((each) => each.includes(`-suite-${name}-`));
  if (found === undefined || others.length > 0)
    throw new Error(`expected one suite ${name}, found ${others.length + 1}`);
  return join(results, found);
}

const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

export function kept(directory: string): { suite: SuiteResult; boards: Comparison[] } {
  const suite = suiteResult.parse(read(join(directory, 'experiment.json')));
  return {
    suite,
    boards: suite.entries.map(({ name }) => comparison.parse(read(join(directory, name, 'experiment.json')))),
  };
}

/** What must come out however often it was interrupted. */
export function expectWhole(directory: string): void {
  const { suite, boards } = kept(directory);
  expect(suite.isComplete).toBe(true);
  const rows = boards.map((board) => board.rows.map(({ target, state, runs }) => [target, state, runs.length]));
  expect(rows).toEqual([
    [
      ['ws', 'ran', 2],
      ['anycable', 'notAvailable', 0],
      ['uws', 'ran', 2],
    ],
    [
      ['ws', 'ran', 1],
      ['uws', 'ran', 1],
    ],
  ]);
  const [latency = [], calls = []] = boards.map((board) =>
    board.rows.flatMap(({ runs }) => runs.map(({ result }) => result)),
  );
  expect(latency.map(({ ledger }) => ledger.delivered)).toEqual([143, 143, 143, 143]);
  expect(calls.map(({ ledger }) => ledger.delivered)).toEqual([85, 85]);
  expect(new Set([...latency, ...calls].map(({ job }) => job.seed))).toEqual(new Set([7]));
  expect(new Set([...latency, ...calls].map(({ job }) => job.runId)).size).toBe(6);
  const order = latency.toSorted((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt));
  expect(order.map(({ target }) => target.name)).toEqual(['ws', 'uws', 'ws', 'uws']);
  expect(suite.entries.flatMap((entry) => entry.rows.map(({ thresholds }) => thresholds.kept))).toEqual([
    2, 0, 2, 1, 1,
  ]);
}

export const runsIn = (directory: string): number =>
  experiment.parse(read(join(directory, 'experiment.json'))).journal?.runs.length ?? 0;
