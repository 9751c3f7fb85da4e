import { type ExitName, worstExit } from '../../../contract/exit-codes.js';
import { ProblemError } from '../../../contract/problems.js';
import type { ShardInfo } from '../../../contract/shard.js';
import { type Stop, stopInWords, stopReasons } from '../../../contract/stop-reasons.js';
import { thisTool } from '../../../contract/version.js';
import { readMachine } from '../../../measure/rig/machine.js';
import { type RunResult, resultVersion } from '../../../results/result.js';
import { ResultStore, resultDirectory } from '../../../results/store.js';
import { carryProblems } from '../../../run/plan/preflight.js';
import { greetAll } from '../../../run/shards/dispatch.js';
import { exitOfProblems } from '../judge.js';
import { type KneePlan, planOfRun } from './plan.js';
import { exitOfRow, type Knee, type KneeRow, kneeFile, samenessOf } from './row.js';
import { type KneeContext, KneeWalk } from './walk.js';

interface Found {
  rows: KneeRow[];
  target: RunResult['target'] | undefined;
  endedBecause: string[];
  exit: ExitName;
}

/** Finds the knees, and keeps them however the search ends. Throws `ProblemError` before the first run. */
export async function findKnees(
  kneePlan: KneePlan,
  context: KneeContext,
): Promise<{ knee: Knee; directory: string; exit: ExitName }> {
  const infos = await greetAll(context.shards);
  refuse(kneePlan, context, infos);
  const { plan, shape, subscribers } = kneePlan;
  const startedAt = new Date().toISOString();
  const directory = resultDirectory(plan.fleet.resultsDir, startedAt, 'throughput', plan.target.name, 'knee');
  const found: Found = { rows: [], target: undefined, endedBecause: [], exit: 'clean' };
  const keep = async (): Promise<Knee> => {
    const knee = kneeOf(kneePlan, infos, startedAt, found);
    await new ResultStore(context.notKept).keep(directory, { [kneeFile]: knee });
    return knee;
  };
  try {
    for (const each of subscribers) {
      await walkAt(new KneeWalk(kneePlan, each, directory, context), found, context.interrupt);
      if (found.exit !== 'clean') break;
    }
  } catch (error) {
    if (found.rows.length === 0) throw error;
    found.endedBecause.push(error instanceof Error ? error.message : String(error));
    await keep();
    context.kept(directory);
    throw error;
  }
  const byRows = found.rows.map((row) => exitOfRow(row, shape));
  return { knee: await keep(), directory, exit: worstExit([found.exit, ...byRows]) };
}

/** Throws `ProblemError` with everything that the shards or a managed target can't carry. */
function refuse(kneePlan: KneePlan, { shards, childDescriptors }: KneeContext, infos: readonly ShardInfo[]): void {
  const carrier = {
    shards: shards.map(({ url }, index) => ({ url, info: infos[index] as ShardInfo })),
    childDescriptors,
  };
  const { plan, shape, subscribers } = kneePlan;
  const problems = subscribers.flatMap((each) =>
    carryProblems(planOfRun(kneePlan, each, shape.maxRate, plan.fleet.resultsDir), carrier),
  );
  const distinct = new Map(problems.map((each) => [each.message, each]));
  if (distinct.size > 0) throw new ProblemError([...distinct.values()]);
}

async function walkAt(walk: KneeWalk, found: Found, interrupt: AbortSignal): Promise<void> {
  try {
    await walk.run();
  } catch (error) {
    if (!(error instanceof ProblemError) || (found.rows.length === 0 && walk.tries.length === 0)) throw error;
    found.endedBecause.push(error.message);
    found.exit = exitOfProblems(error);
  } finally {
    found.target = walk.described ?? found.target;
    if (walk.tries.length > 0) found.rows.push(walk.row());
    await walk.stop();
  }
  const endedBy: Stop | undefined =
    walk.endedBy ?? (interrupt.aborted ? { code: 'interrupted', evidence: [] } : undefined);
  if (endedBy !== undefined) {
    found.endedBecause.push(stopInWords(endedBy));
    found.exit = stopReasons[endedBy.code].exit;
  } else if (walk.isCapped) {
    found.endedBecause.push(`${walk.subscribers} subscribers: ${walk.tries.length} runs did not prove the edges`);
  }
}

function kneeOf(kneePlan: KneePlan, infos: readonly ShardInfo[], startedAt: string, found: Found): Knee {
  const { plan, shape, durationMs, drainMs } = kneePlan;
  const { broadcasts: _none, subscribers: _many, ratePerSecond: _any, ...options } = plan.options;
  const { name, protocol } = plan.target;
  const { versions = {}, settings = {} } = found.target ?? {};
  return {
    schema: resultVersion,
    tool: thisTool,
    startedAt,
    target: { name, protocol, isOurs: plan.target.isOurs, versions, settings },
    client: plan.load.client,
    publish: String(plan.options.publish),
    ...shape,
    durationMs,
    drainMs,
    job: {
      options: { ...options, durationMs, drainMs },
      load: { ...plan.load },
      shards: infos.length,
      seed: plan.fleet.seed,
    },
    sources: plan.sources,
    environment: { driver: readMachine(), shards: infos.map(({ machine }) => machine) },
    rows: found.rows,
    sameness: samenessOf(found.rows),
    endedBecause: found.endedBecause.join('; '),
  };
}
