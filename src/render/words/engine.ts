import { type EngineUse, enginesTogether } from '../../contract/engine.js';
import type { RunResult } from '../../results/result.js';
import { count, plural } from '../../units/words.js';

type Parts = Pick<RunResult, 'shards'>;

/** The engines of wire clients, and why one is not the native one; empty where a result names none. */
export function enginesInWords({ shards }: Parts): string {
  const uses = enginesTogether(shards.flatMap(({ result }) => result?.rig.engines ?? []));
  return uses.map(({ name, why }) => `${name} engine${why === undefined ? '' : ` (${why})`}`).join(' and ');
}

/** The kind of the clients, and the engines of wire clients. */
export function clientsInWords(result: Parts & Pick<RunResult, 'target'>): string[] {
  const engines = enginesInWords(result);
  return [`${result.target.client} clients`, ...(engines === '' ? [] : [engines])];
}

/** What the engines of each shard counted, a line each. */
export function engineLines({ shards }: Parts): string[] {
  return shards.flatMap(({ result }) =>
    (result?.rig.engines ?? []).map((use) => `shard ${result?.slice.index} ${use.name} engine: ${countsInWords(use)}`),
  );
}

function countsInWords({
  reads,
  exact,
  bracketed,
  unstamped,
  clockSteps,
  loops,
  cpuNs,
  coreWaitNs,
}: EngineUse): string {
  const stamps = `${count(exact)} exact, ${count(bracketed)} bracketed, ${count(unstamped)} unstamped`;
  const steps = clockSteps > 0 ? [plural(clockSteps, 'clock step')] : [];
  const seconds = (ns: number): string => `${(ns / 1e9).toFixed(2)} s`;
  const cpu = `${seconds(cpuNs)} of CPU in ${plural(loops, 'thread')}, which waited ${seconds(coreWaitNs)} for a core`;
  return [`${count(reads)} reads`, stamps, ...steps, ...(loops > 0 ? [cpu] : [])].join(', ');
}
