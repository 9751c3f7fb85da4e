import { join } from 'node:path';
import { type ExitName, worstExit } from '../../../contract/exit-codes.js';
import { ProblemError } from '../../../contract/problems.js';
import type { ShardInfo } from '../../../contract/shard.js';
import { type Stop, stopInWords, stopReasons } from '../../../contract/stop-reasons.js';
import { thisTool } from '../../../contract/version.js';
import { readMachine } from '../../../measure/rig/machine.js';
import { keepDocument, keeping, resultDirectory } from '../../../results/keep.js';
import { type RunResult, resultVersion } from '../../../results/result.js';
import { carryProblems } from '../../../run/plan/carry.js';
import { greetAll } from '../../../run/shards/greet.js';
import { exitOfProblems } from './ended.js';
import { type KneePlan, planOfRun } from './plan.js';
import { exitOfRow, samenessOf } from './row.js';
import { type Knee, type KneeRow, kneeFile } from './schema.js';
import { type KneeContext, KneeWalk } from './walk.js';

/** What a search has found so far. */
interface Found {
  rows: KneeRow[];
  target: RunResult['target'] | undefined;
  /** Why it found no more. */
  endedBecause: string[];
  exit: ExitName;
}

/**
 * Finds the rate at which a target jams, at each number of subscribers: one process of it for each, kept over all its runs. An interrupt, a lost shard
 * or a refusal ends it with what was found so far, which is kept whatever ends it; before the first run a refusal is thrown as `ProblemError`.
 */
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
    await keeping(directory, context.notKept, () => keepDocument(join(directory, kneeFile), knee));
    return knee;
  };
  try {
    for (const each of subscribers) {
      await walkAt(each, new KneeWalk(kneePlan, each, directory, context), context, found);
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

/** Throws `ProblemError` with all that the shards, or a target of ours, do not carry at any number of subscribers. */
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

async function walkAt(subscribers: number, walk: KneeWalk, context: KneeContext, found: Found): Promise<void> {
  try {
    await walk.run();
  } catch (error) {
    if (!(error instanceof ProblemError) || (found.rows.length === 0 && walk.isEmpty)) throw error;
    found.endedBecause.push(error.message);
    found.exit = exitOfProblems(error);
  } finally {
    found.target = walk.described ?? found.target;
    if (!walk.isEmpty) found.rows.push(walk.row());
    await walk.stop();
  }
  const interrupted: Stop | undefined = context.interrupt.aborted ? { code: 'interrupted', evidence: [] } : undefined;
  const endedBy = walk.endedBy ?? interrupted;
  if (endedBy !== undefined) {
    found.endedBecause.push(stopInWords(endedBy));
    found.exit = stopReasons[endedBy.code].exit;
  } else if (walk.isCapped) {
    found.endedBecause.push(`${subscribers} subscribers: after ${walk.runs} runs the edges were not proven`);
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
