import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { goldenResult, goldenShard } from '../../../test/golden-result.js';
import { goldenRun, voided } from '../../../test/kept-golden.js';
import { naming } from '../../../test/refusal.js';
import type { EngineUse } from '../../contract/engine.js';
import { type RunResult, runFile } from '../../results/result.js';
import { resultDirectory } from '../../results/store.js';
import { differences, hasOtherSpeed, runsBeside } from './diff.js';

function runAt(...coreSpeeds: [before: number, after: number][]): RunResult {
  const shards = coreSpeeds.map((coreSpeed, index) => {
    const golden = goldenShard(index);
    const rig = { ...golden.rig, shard: { ...golden.rig.shard, coreSpeed } };
    return { url: '', state: 'complete' as const, why: '', result: goldenShard(index, { rig }) };
  });
  return goldenResult({ shards });
}

function runOn(...names: EngineUse['name'][]): RunResult {
  const counts = { handedOver: 0, reads: 0, exact: 0, bracketed: 0, unstamped: 0, clockSteps: 0 };
  const shards = names.map((name, index) => {
    const engines = [{ name, ...counts, loops: 0, cpuNs: 0, coreWaitNs: 0 }];
    const rig = { ...goldenShard(index).rig, engines };
    return { url: '', state: 'complete' as const, why: '', result: goldenShard(index, { rig }) };
  });
  return goldenResult({ shards });
}

it('the engine of the clients differs if another one ran, whatever was asked for', () => {
  expect(differences([runOn('js', 'js')], [runOn('js')])).toEqual([]);
  expect(differences([runOn('js')], [runOn('native')])).toEqual(['engine: js and native']);
  expect(differences([runOn('native', 'native')], [runOn('native', 'js')])).toEqual(['engine: native and js + native']);
});

const even = [runAt([500, 510])];

it('the speed of a core does not differ within the variation of one core', () => {
  expect(differences(even, [runAt([470, 530])])).toEqual([]);
  expect(hasOtherSpeed(even, [runAt([470, 530])])).toBe(false);
});

it('the speed of a core differs if a shard was slower, before or after its load', () => {
  const slow = [runAt([500, 510], [503, 211])];
  expect(differences(even, slow)).toEqual([naming(500, 211, 'steps/µs')]);
  expect(hasOtherSpeed(slow, even)).toBe(true);
});

it('the speed of a core is the median of the runs of a side', () => {
  const slow = runAt([211, 223]);
  expect(hasOtherSpeed(even, [slow, ...even, ...even])).toBe(false);
  expect(hasOtherSpeed(even, [slow, ...even, slow])).toBe(true);
});

it('the speed of a core is unknown if every shard was lost or nothing ran', () => {
  const lost = [goldenResult({ shards: [{ url: '', state: 'lost', why: 'gone', result: null }] })];
  for (const none of [lost, []]) {
    expect(hasOtherSpeed(even, none)).toBe(false);
    expect(differences(even, none)).toEqual([]);
  }
});

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
