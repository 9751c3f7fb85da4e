import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { goldenRun, voided } from '../../../test/kept-golden.js';
import { type RunResult, runFile } from '../../results/result.js';
import { resultDirectory } from '../../results/store.js';
import { runsBeside } from './diff.js';

const folder = mkdtempSync(join(tmpdir(), 'beside-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Keeps a golden run that began so many seconds after the hour. */
function kept(target: string, second: number, more: Partial<RunResult> = {}): { directory: string; result: RunResult } {
  const startedAt = new Date(Date.UTC(2026, 10, 21, 9) + second * 1000).toISOString();
  const result = goldenRun(target, 1, { startedAt, ...more });
  const directory = resultDirectory(folder, startedAt, result.scenario, target, `${second * 1000}`);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, runFile), JSON.stringify(result));
  return { directory, result };
}

const earlier = [7, 11, 13].map((second) => kept('ws', second));
kept('ws', 17, { verdict: voided });
const baseline = kept('ws', 19);
const later = [19.5, 29].map((second) => kept('ws', second));
// So many of another target that none of `ws` is among the newest names.
for (let run = 0; run < 47; run++)
  mkdirSync(resultDirectory(folder, '2026-11-21T09:00:18.000Z', 'latency', 'uws', `${run}`));

async function besides(run: typeof baseline, but: readonly string[] = []): Promise<string[]> {
  return (await runsBeside(run, but)).map(({ directory }) => basename(directory));
}

const names = (runs: typeof earlier): string[] => runs.map(({ directory }) => basename(directory)).reverse();

it('finds earlier runs of one target, newest first, among others', async () => {
  expect(await besides(baseline)).toEqual(names(earlier));
  expect(await besides(later[1]!)).toEqual(names([...earlier, baseline, later[0]!]));
  expect(await besides(baseline, [earlier[1]!.directory])).toEqual(names([earlier[0]!, earlier[2]!]));
});

it('finds nothing beside a run whose target has no versions', async () => {
  const { target } = baseline.result;
  const unknown = { target: { ...target, name: 'own', versions: {} } };
  const runs = [31, 37, 41].map((second) => kept('own', second, unknown));
  expect(await besides(runs[2]!)).toEqual([]);
});
