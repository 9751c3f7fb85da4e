import type { DescribedModule } from '../contract/modules.js';
import { type Problem, problem } from '../contract/problems.js';
import type { CoreWaits } from '../measure/waits.js';
import type { Attached, RunResult } from '../results/result.js';
import { ResultStore, resultDirectory } from '../results/store.js';
import type { SeenRun } from './attach/left.js';
import { composeRun } from './judge/compose.js';
import { trustOf } from './judge/trust.js';
import type { Plan } from './plan/plan.js';
import { type Collected, collect, release } from './shards/collect.js';
import type { Member } from './shards/member.js';

export interface RunOutcome {
  result: RunResult;
  directory: string;
  /** Values per measured broadcast, as the scenario's roles report them. */
  series: Record<string, Uint32Array>;
  samples: Collected['samples'];
}

export interface Over {
  runId: string;
  startedAt: Date;
  members: readonly Member[];
  seen: Omit<SeenRun, 'silences'>;
  /** Silences that another driver recorded, by slice. */
  silences?: SeenRun['silences'] | undefined;
  /** Zero of the axis of the result, by `performance.now()`. */
  zeroMs: number;
  /** Known only to a driver that started the target. */
  coreWaits?: CoreWaits | undefined;
  describe(): Promise<RunResult['target']>;
  attached?: Attached;
}

/** Fetches the measurements of the shards, merges and judges them, and keeps the result. */
export async function concludeRun(
  plan: Plan<DescribedModule>,
  over: Over,
  { notKept }: { notKept(problem: Problem): void },
): Promise<RunOutcome> {
  const { scenario, options, load, fleet } = plan;
  const { runId, startedAt, seen, zeroMs, attached, coreWaits } = over;
  const collected = await collect(scenario, over.members, zeroMs);
  Object.assign(collected.counts, seen.counts);
  if (over.silences) collected.parts = withSilences(collected.parts, over.silences);
  const target = await over.describe();
  const kind = { client: load.client, protocol: plan.target.protocol };
  const trust = await trustOf(fleet.trustDir, kind, scenario.demand(options, load), collected.results);
  const result = composeRun(plan, { ...seen, runId, startedAt, trust, collected, target, coreWaits, attached });
  const directory = resultDirectory(fleet.resultsDir, result.startedAt, scenario.name, plan.target.name, runId);
  // Another driver can still fetch from shards that outlive this driver.
  const isSole = plan.slots !== undefined || !over.members.every(({ client }) => client.isApart);
  const hint = `Free space, or change --results: the shards keep the run, and \`ringside attach ${runId}\` fetches it.`;
  let isOver = true;
  const store = new ResultStore((found) => {
    isOver = isSole;
    notKept(isSole ? found : problem(found.code, found.message, hint));
  });
  await store.keepRun(directory, result, collected);
  if (isOver) await release(over.members);
  return { result, directory, series: collected.series, samples: collected.samples };
}

function withSilences(parts: Collected['parts'], silences: SeenRun['silences']): Collected['parts'] {
  return parts.map((part, index) => {
    const before = silences[index] ?? [];
    return before.length > 0 ? { ...part, silences: [...before, ...(part.silences ?? [])] } : part;
  });
}
