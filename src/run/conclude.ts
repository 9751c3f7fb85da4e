import type { Problem } from '../contract/problems.js';
import type { Attached, RunResult } from '../results/result.js';
import { ResultStore, resultDirectory } from '../results/store.js';
import type { Seen } from './attach/left.js';
import { compose } from './judge/compose.js';
import { trustOf } from './judge/trust.js';
import type { Plan } from './plan/plan.js';
import { type Collected, collect, release } from './shards/collect.js';
import type { Member } from './shards/member.js';

export interface RunOutcome {
  result: RunResult;
  directory: string;
  /** Per measured broadcast, as the scenario's roles report them. */
  series: Record<string, Uint32Array>;
  samples: Collected['samples'];
}

/** A run that is over, as its driver knows it. */
export interface Over {
  runId: string;
  startedAt: Date;
  members: readonly Member[];
  seen: Omit<Seen, 'silences'>;
  /** Silences that another driver saw, by slice. */
  silences?: Seen['silences'] | undefined;
  /** Zero of the axis of the result, as of `performance.now()`. */
  zeroMs: number;
  describe(): Promise<RunResult['target']>;
  attached?: Attached;
}

/** Fetches what the shards of a run measured, merges, judges and keeps it. */
export async function conclude(
  plan: Plan,
  over: Over,
  { notKept }: { notKept(problem: Problem): void },
): Promise<RunOutcome> {
  const { scenario, options, load, fleet } = plan;
  const { runId, startedAt, seen, zeroMs, attached } = over;
  const collected = await collect(scenario, over.members, zeroMs);
  Object.assign(collected.counts, seen.counts);
  if (over.silences) collected.parts = withSilences(collected.parts, over.silences);
  const target = await over.describe();
  const kind = { client: load.client, protocol: plan.target.protocol };
  const trust = await trustOf(fleet.trustDir, kind, scenario.demand(options, load), collected.results);
  const result = compose(plan, {
    ...seen,
    ...{ runId, startedAt, end: seen.end, trust, collected, target },
    ...(attached && { attached }),
  });
  const directory = resultDirectory(fleet.resultsDir, result.startedAt, scenario.name, plan.target.name, runId);
  let isKept = true;
  const store = new ResultStore((problem) => {
    isKept = false;
    notKept(problem);
  });
  await store.keepRun(directory, result, collected);
  // Another driver can still fetch what could not be kept here.
  if (isKept) await release(over.members);
  return { result, directory, series: collected.series, samples: collected.samples };
}

function withSilences(parts: Collected['parts'], silences: Seen['silences']): Collected['parts'] {
  return parts.map((part, index) => {
    const before = silences[index] ?? [];
    return before.length > 0 ? { ...part, silences: [...before, ...(part.silences ?? [])] } : part;
  });
}
