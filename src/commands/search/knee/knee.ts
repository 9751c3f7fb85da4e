import { type ExitName, worstExit } from '../../../contract/exit-codes.js';
import { ProblemError } from '../../../contract/problems.js';
import type { ShardInfo } from '../../../contract/shard.js';
import { thisTool } from '../../../contract/version.js';
import { askedOf, openJournal, withSeed } from '../../../experiment/journal.js';
import { readMachine } from '../../../measure/rig/machine.js';
import { experimentFile, type KeptJournal } from '../../../results/journal.js';
import { resultVersion } from '../../../results/result.js';
import type { Knee, KneeTry } from '../../../results/search.js';
import { ResultStore, resultDirectory } from '../../../results/store.js';
import { carryProblems } from '../../../run/plan/preflight.js';
import { greetAll } from '../../../run/shards/dispatch.js';
import { shownLoad } from '../../../scenarios/load-options.js';
import { exitOfProblems } from '../judge.js';
import { keepingFound, type SearchContext } from '../search.js';
import { KneeAt } from './knee-at.js';
import { type KneePlan, planOfRun } from './plan.js';
import { exitOfRow, samenessOf } from './row.js';

/** Finds the knees, and keeps them however the search ends. Throws `ProblemError` before the first run. */
export async function findKnees(
  given: KneePlan,
  context: SearchContext<KneeTry>,
): Promise<{ knee: Knee; directory: string; exit: ExitName }> {
  const infos = await greetAll(context.shards);
  refuse(given, context, infos);
  const { shape, clients, resume } = given;
  const { fleet, target } = given.plan;
  const startedAt = new Date().toISOString();
  const store = new ResultStore(context.notKept);
  const journal = await openJournal(
    resume ?? given.directory ?? resultDirectory(fleet.resultsDir, startedAt, 'throughput', target.name, 'knee'),
    { seed: fleet.seed, startedAt, asked: askedOfKnees(given) },
    resume,
    store,
  );
  const { directory } = journal;
  const [kneePlan] = withSeed([given], journal.kept.seed) as [KneePlan];
  const all: KneeAt[] = [];
  const refusals: ProblemError[] = [];
  const work = async (): Promise<void> => {
    for (const each of clients) {
      const one = new KneeAt(kneePlan, each, context);
      all.push(one);
      await one.run({ directory, journal }).catch((error: unknown) => {
        if (!(error instanceof ProblemError) || all.length === 1) throw error;
        refusals.push(error);
      });
      if (one.exit !== 'clean' || refusals.length > 0) return;
    }
  };
  const keep = async (fault?: string): Promise<Knee> => {
    const faults = fault === undefined ? [] : [fault];
    const because = [...all.flatMap(({ why }) => why), ...refusals.map(({ message }) => message), ...faults];
    const knee = kneeOf(kneePlan, infos, journal.kept, all, because);
    await store.keep(directory, { [experimentFile]: knee });
    if (fault !== undefined) context.tell(directory);
    return knee;
  };
  const knee = await keepingFound(journal, work, () => all.some(({ search: { points } }) => points.length > 0), keep);
  const byRows = knee.rows.map((row) => exitOfRow(row, shape));
  return {
    knee,
    directory,
    exit: worstExit([...all.map(({ exit }) => exit), ...refusals.map(exitOfProblems), ...byRows]),
  };
}

function askedOfKnees({ plan, clients, shape, durationMs, drainMs }: KneePlan) {
  const { minRate, maxRate, precision, repeat } = shape;
  const lengths = { durationMs, drainMs };
  return askedOf([{ label: plan.target.name, plan }], { clients, minRate, maxRate, precision, repeat, ...lengths });
}

/** Throws `ProblemError` with everything that the shards or a managed target can't carry. */
function refuse(
  kneePlan: KneePlan,
  { shards, childDescriptors }: SearchContext<KneeTry>,
  infos: readonly ShardInfo[],
): void {
  const carrier = {
    shards: shards.map(({ url }, index) => ({ url, info: infos[index] as ShardInfo })),
    childDescriptors,
  };
  const { shape, clients } = kneePlan;
  const problems = clients.flatMap((each) => carryProblems(planOfRun(kneePlan, each, shape.maxRate), carrier));
  const distinct = new Map(problems.map((each) => [each.message, each]));
  if (distinct.size > 0) throw new ProblemError([...distinct.values()]);
}

function kneeOf(
  kneePlan: KneePlan,
  infos: readonly ShardInfo[],
  journal: KeptJournal,
  all: readonly KneeAt[],
  endedBecause: readonly string[],
): Knee {
  const { plan, shape, durationMs, drainMs } = kneePlan;
  const { broadcasts: _none, clients: _many, ratePerSecond: _any, ...options } = plan.options;
  const { name, protocol } = plan.target;
  const { versions = {}, settings = {} } = all.findLast(({ described }) => described)?.described ?? {};
  const rows = all.filter(({ search }) => search.points.length > 0).map((each) => each.row());
  return {
    schema: resultVersion,
    tool: thisTool,
    startedAt: journal.startedAt,
    kind: 'knee',
    target: { name, protocol, isOurs: plan.target.isOurs, versions, settings },
    client: plan.load.client,
    publish: String(plan.options.publish),
    ...shape,
    durationMs,
    drainMs,
    job: {
      options: { ...options, durationMs, drainMs },
      load: shownLoad(plan.load),
      shards: infos.length,
      seed: plan.fleet.seed,
    },
    sources: plan.sources,
    environment: { driver: readMachine(), shards: infos.map(({ machine }) => machine) },
    rows,
    sameness: samenessOf(rows),
    endedBecause: endedBecause.join('; '),
    journal,
  };
}
