import { expect } from 'vitest';
import { type RunState, runState } from '../../src/contract/job.js';
import type { RunResult } from '../../src/results/result.js';
import type { Command } from '../command.js';
import { latencyFlags, soundResult, targetFlags } from '../latency.js';
import { keptDirectory, type Served, workplace } from '../workplace.js';

export const place = workplace();

/** A run over shards and a target that outlive its driver. */
export interface Begun {
  driver: Command;
  runId: string;
  shards: string[];
  runners: Served[];
}

export const subscribers = 31;
export const broadcasts = 397;

/** What every run here has, whoever ends it: 400 broadcasts at 50/s, 3 of them warm-up. */
export const wholeLedger = { acked: broadcasts, delivered: subscribers * broadcasts, lost: 0, duplicate: 0 };

/** A busy machine answers late: no publish fails for it, and no lease ends before the second driver is there. */
const patience = ['connect', 'subscribe', 'publish'].flatMap((step) => [`--${step}-timeout`, '2m']);
const longLease = ['--lease', '10m'];

/** The command line of a run over two bench-runners and an external target, which wait for it. */
export async function wholeRun(
  flags = longLease,
  sent = broadcasts,
): Promise<{ args: string[]; shards: string[]; runners: Served[] }> {
  const [target, ...runners] = await Promise.all([
    place.serve('servers/ws/main.js', ['--port', '0']),
    place.benchRunner(),
    place.benchRunner(),
  ]);
  const shards = runners.flatMap(({ port }) => ['--shard', `http://127.0.0.1:${port}`]);
  const sizes = [...latencyFlags(subscribers, sent), ...patience, '--seed', '7919', ...flags];
  return { args: ['run', 'latency', ...targetFlags(target), ...sizes, ...shards], shards, runners };
}

/** Starts that run, and waits for its id. */
export async function begin(flags: string[] = []): Promise<Begun> {
  return beginning(await wholeRun([...longLease, ...flags]));
}

/** Starts a run that would go on for minutes. */
export async function beginLong(flags: string[]): Promise<Begun> {
  return beginning(await wholeRun(flags, 9973));
}

async function beginning({ args, shards, runners }: Awaited<ReturnType<typeof wholeRun>>): Promise<Begun> {
  const driver = place.ringside(args);
  const [, runId = ''] = await driver.said('stderr', /run ([0-9a-f]{8})/);
  return { driver, runId, shards, runners };
}

/** The run as its first shard shows it. */
export async function stateOf({ runId, runners: [first] }: Pick<Begun, 'runId' | 'runners'>): Promise<RunState> {
  return runState.parse(await (await fetch(`http://127.0.0.1:${first?.port}/runs/${runId}`)).json());
}

/** Starts a second driver for a run. */
export function attach({ runId, shards }: Pick<Begun, 'runId' | 'shards'>): Command {
  return place.ringside(['attach', runId, ...shards]);
}

/** The result of a run that two drivers saw, checked. */
export async function attachedResult(command: Command, { runId }: Pick<Begun, 'runId'>): Promise<RunResult> {
  const ended = await command.ended;
  if (ended.stderr.includes('error:')) throw new Error(ended.stderr);
  const result = soundResult(ended);
  expect(keptDirectory(ended)).toContain(runId);
  expect(result.job).toMatchObject({ runId, seed: 7919, shards: 2, options: { clients: subscribers } });
  expect(result.environment.attached?.by).toMatch(/\/\d+-[0-9a-f]{4}$/);
  return result;
}
