import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { exitCodes } from '../../src/contract/exit-codes.js';
import { type RunResult, runResult } from '../../src/results/result.js';
import { runExit } from '../../src/run/judge/assess.js';
import { built } from '../built.js';
import type { Command } from '../command.js';
import { latencyFlags } from '../latency.js';
import { latency } from '../scenarios.js';
import { filesIn, workplace } from '../workplace.js';

export const place = workplace();
export const ringside = `"${process.execPath}" "${built('src/cli/main.js')}"`;
/** Shell text that runs latency of a managed `ws`. */
export const run = `${ringside} run latency --target ws ${latencyFlags(3, 23).join(' ')}`;
export const hasFull = existsSync('/dev/full');
export const hasPty = spawnSync('python3', ['-c', 'import pty']).status === 0;

/** The one result that a command has kept. */
export function keptBy({ folder }: Command): RunResult {
  const results = join(folder, 'results');
  const files = filesIn(results).filter((file) => file.endsWith('result.json'));
  expect(files).toHaveLength(1);
  return runResult.parse(JSON.parse(readFileSync(join(results, files[0]!), 'utf8')));
}

/** Runs a shell script that leaves the exit code of Ringside in the file `code`. */
export async function outcomeOf(script: string, env: Record<string, string> = {}) {
  const command = place.start('sh', ['-c', script], env);
  const { stdout, stderr } = await command.ended;
  return { command, stdout, stderr, code: Number(readFileSync(join(command.folder, 'code'), 'utf8')) };
}

/** The same over a running bench-runner, where the outlets of a bench-runner of its own are not the subject. */
export const outcomeOverFleet = (script: string) => place.fleet.lend(1, (env) => outcomeOf(script, { ...env }));

/** Checks that a run was kept, ended as its figures say, and left no process. */
export function expectWhole({ command, code }: Awaited<ReturnType<typeof outcomeOf>>): void {
  const result = keptBy(command);
  expect([result.stop.code, code]).toEqual(['completed', exitCodes[runExit(result, latency, false)].code]);
  expect(command.family()).toEqual([]);
}

/** Checks that a run was kept, and exited with 4 because stdout did not take its figures. */
export function expectUnwritten({ command, code, stderr }: Awaited<ReturnType<typeof outcomeOf>>): void {
  expect([keptBy(command).stop.code, code]).toEqual(['completed', exitCodes.rig.code]);
  expect(stderr).toMatch(/^error: .*ENOSPC/m);
}
