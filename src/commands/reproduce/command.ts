import { type ExitName, worstOfRuns } from '../../contract/exit-codes.js';
import { ProblemError, problem, resolveOrRefuse } from '../../contract/problems.js';
import { comparisonExit } from '../../experiment/compare.js';
import { resumeNote } from '../../experiment/journal.js';
import { statementWords } from '../../render/words/statement.js';
import type { PublishedTable } from '../../results/published.js';
import type { Reproduction } from '../../results/reproduction.js';
import { refuseUnwritable } from '../../results/store.js';
import type { GivenForRun } from '../../run/plan/plan.js';
import type { PlannedTarget } from '../../run/server/planned.js';
import type { ShardClient } from '../../run/shards/shard-client.js';
import { type CommandSession, type MakingContext, oneDocument, plain } from '../command.js';
import { listPublished, publishedDocument } from './list.js';
import { planReproduction, type ReproduceOptions, type ReproductionPlan, reproduceOptions } from './plan.js';
import { reproductionDocument } from './print.js';
import { chosenTables, readPublished, runtimesHere, searchName } from './published.js';
import { refuseUncarried, reproduce } from './reproduce.js';
import { planSearch, reproduceSearch, type SearchPlan } from './search.js';

/** `ringside reproduce FIGURE…`: runs the shape of published figures and prints both; or lists them with `--list`. */
export const command = plain({
  arguments: [{ form: '[figures...]', help: 'ids of published tables or figures; with --list, words to search' }],
  options: reproduceOptions,
  async run(session, { args: names, ...given }) {
    const options = resolveOrRefuse(reproduceOptions, given);
    oneDocument(options);
    const tables = readPublished(options.publishedDir);
    if (options.isList) {
      const listed = await listPublished(session, tables, names, options, given);
      const document = publishedDocument(listed, names.length > 0);
      await session.printResult(options, { data: listed, document });
      return 'clean';
    }
    if (names.length === 0) {
      const message = 'expected the id of a published figure or table, received none';
      throw new ProblemError([problem('badOption', message, 'Run `ringside reproduce --list` to see them.')]);
    }
    return reproduceAll(session, chosenTables(tables, names), options, given);
  },
});

/** Holds one table to run: its targets, and the work that makes and keeps its reproduction. */
interface Work {
  table: PublishedTable;
  targets: PlannedTarget[];
  /** Left out for a search, which checks for itself what the shards can carry. */
  planned?: ReproductionPlan;
  run(context: MakingContext & { shards: ShardClient[] }): Promise<Made>;
}

interface Made {
  reproduction: Reproduction;
  directory: string;
  exit: ExitName;
}

/** Checks all tables, then runs each on bench-runners of its own. A table that fails stops no other. */
async function reproduceAll(
  session: CommandSession,
  tables: readonly PublishedTable[],
  options: ReproduceOptions,
  given: GivenForRun,
): Promise<ExitName> {
  const { scale, time, resume } = options;
  if (resume !== undefined && tables.length > 1) {
    const message = `--resume: expected one table, received ${tables.length}`;
    throw new ProblemError([problem('badOption', message)]);
  }
  const here = await runtimesHere(tables);
  const all = tables.map((table) =>
    table.scenario === searchName
      ? searchOf(planSearch(table, { scale, time }, given))
      : comparisonOf(planReproduction(table, { scale, time }, given, here), options),
  );
  const targets = all.flatMap((each) => each.targets);
  const elsewhere = await session.inOwnNetwork({ fleet: options, targets });
  if (elsewhere !== null) return elsewhere;
  const withShards = <T>(some: readonly Work[], work: (shards: ShardClient[]) => Promise<T>): Promise<T> =>
    session.withShards(
      options,
      some.flatMap(({ targets }) => targets),
      work,
    );
  await refuseUnwritable({ '--results': options.resultsDir });
  const plans = all.flatMap(({ planned }) => planned ?? []);
  await withShards(all, (shards) => refuseUncarried(plans, { shards, childDescriptors: session.limits.descriptors }));
  const { interrupt, print } = session;
  const made: Reproduction[] = [];
  const ends: ExitName[] = [];
  for (const each of all) {
    if (interrupt.aborted) break;
    const { id } = each.table;
    const making = session.begin(id, `${id} `);
    const work = withShards([each], (shards) => each.run({ ...making.context, shards }));
    try {
      const { reproduction, exit, directory } = await work.finally(making.end);
      made.push(reproduction);
      ends.push(exit, ...(making.isWhole ? [] : (['input'] as const)));
      if (!options.isJson && made.length > 1) print('\n');
      if (!options.isJson)
        await session.printResult(options, { data: reproduction, document: reproductionDocument(reproduction) });
      making.tell(directory);
      const { note } = resumeNote(directory, exit);
      if (note) session.note(note);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      session.warn(error);
      ends.push('input');
    }
  }
  if (options.isJson) print(`${JSON.stringify({ reproductions: made }, null, 2)}\n`);
  return interrupt.aborted ? 'interrupted' : worstOfRuns(ends);
}

function comparisonOf(planned: ReproductionPlan, { isStrict, resume }: ReproduceOptions): Work {
  return {
    table: planned.table,
    targets: planned.contenders.map(({ plan }) => plan.target),
    planned,
    run: async (context) => {
      const { reproduction, comparison, directory } = await reproduce(planned, context, resume);
      return { reproduction, directory, exit: comparisonExit(comparison, planned.scenario, isStrict) };
    },
  };
}

function searchOf(planned: SearchPlan): Work {
  const { target } = planned.kneePlan.plan;
  return {
    table: planned.table,
    targets: [target],
    run: (context) =>
      reproduceSearch(planned, {
        ...context,
        begins: (label) => context.label(`${target.name}  ${label}`),
        tried: (label, { holds }) => context.note(`${label}: ${statementWords.keepsUp[holds]}`),
      }),
  };
}
