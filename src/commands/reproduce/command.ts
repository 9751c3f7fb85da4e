import { join } from 'node:path';
import { type ExitName, worstOfRuns } from '../../contract/exit-codes.js';
import { type Problem, ProblemError, problem, resolveOrRefuse } from '../../contract/problems.js';
import { comparisonExit } from '../../experiment/compare.js';
import { type ExperimentPlace, resumeNote } from '../../experiment/journal.js';
import { pairedExit } from '../../experiment/paired/paired-exit.js';
import { statementWords } from '../../render/words/statement.js';
import type { PublishedTable } from '../../results/published.js';
import type { Reproduction } from '../../results/reproduction.js';
import { refuseUnwritable, resultDirectory } from '../../results/store.js';
import type { GivenForRun } from '../../run/plan/plan.js';
import type { PlannedTarget } from '../../run/server/planned.js';
import type { ShardClient } from '../../run/shards/shard-client.js';
import { plural } from '../../units/text.js';
import { duration } from '../../units/unit.js';
import { type CommandSession, type MakingContext, oneDocument, plain } from '../command.js';
import { claimSentence, claimsIn } from './claims.js';
import { listPublished, publishedDocument } from './list.js';
import { planReproduction, type ReproduceOptions, type ReproductionPlan, reproduceOptions } from './plan.js';
import { reproductionDocument } from './print.js';
import { chosenTables, type RuntimesHere, readPublished, runtimesHere, searchName } from './published.js';
import { expectedLength, placeIn, refuseUncarried, reproduce } from './reproduce.js';
import { planSearch, reproduceSearch } from './search.js';

/** `ringside reproduce FIGURE…`: runs the shape of published figures and prints both; or lists them with `--list`. */
export const command = plain({
  arguments: [{ form: '[figures...]', help: 'published sources, tables or figures; with --list, words to search' }],
  options: reproduceOptions,
  async run(session, { args: names, ...given }) {
    const options = resolveOrRefuse(reproduceOptions, given);
    oneDocument(options);
    const tables = readPublished(options.publishedDir);
    if (options.isList) {
      const listed = await listPublished(session, tables, names, options, given);
      const document = publishedDocument(listed, options.isQuoting);
      await session.printResult(options, { data: listed, document });
      return 'clean';
    }
    if (names.length === 0) {
      const message = 'expected a published source, table or figure, received none';
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
  run(
    context: MakingContext & { shards: ShardClient[] },
    place: ExperimentPlace & { budgetMs?: number | undefined },
  ): Promise<Made>;
}

interface Made {
  reproduction: Reproduction;
  directory: string;
  exit: ExitName;
}

/**
 * Checks all tables, then runs each on bench-runners of its own. A table that fails stops no other. Several tables are
 * kept in one directory, each in a folder of its id, from which `--resume` goes on.
 */
async function reproduceAll(
  session: CommandSession,
  tables: readonly PublishedTable[],
  options: ReproduceOptions,
  given: GivenForRun,
): Promise<ExitName> {
  const { resume, resultsDir, budgetMs } = options;
  const whole = tables.length === 1 ? undefined : (resume ?? wholeDirectory(resultsDir, tables));
  const all = await plannedWork(session, tables, options, given);
  const targets = all.flatMap((each) => each.targets);
  const elsewhere = await session.inOwnNetwork({ fleet: options, targets });
  if (elsewhere !== null) return elsewhere;
  const withShards = <T>(some: readonly Work[], work: (shards: ShardClient[]) => Promise<T>): Promise<T> =>
    session.withShards(
      options,
      some.flatMap(({ targets }) => targets),
      work,
    );
  await refuseUnwritable({ '--results': resultsDir });
  const plans = all.flatMap(({ planned }) => planned ?? []);
  const lengths = await withShards(all, async (shards) => {
    const carrier = await refuseUncarried(plans, { shards, childDescriptors: session.limits.descriptors });
    return Promise.all(all.map(({ planned }) => (planned ? expectedLength(planned, carrier) : 0)));
  });
  const wholeMs = lengths.reduce((sum, each) => sum + each, 0);
  session.note(lengthInWords(all, wholeMs));
  const { interrupt, print } = session;
  const untilMs = performance.now() + (budgetMs ?? Number.POSITIVE_INFINITY);
  const made: Reproduction[] = [];
  const ends: ExitName[] = [];
  for (const [at, each] of all.entries()) {
    if (interrupt.aborted || performance.now() > untilMs) break;
    const { id } = each.table;
    const making = session.begin(id, `${id} `);
    const place = whole === undefined ? { resume } : placeIn(join(whole, id));
    const ownMs = budgetMs === undefined ? undefined : Math.round((budgetMs * lengths[at]!) / wholeMs);
    const work = withShards([each], (shards) => each.run({ ...making.context, shards }, { ...place, budgetMs: ownMs }));
    try {
      const { reproduction, exit, directory } = await work.finally(making.end);
      made.push(reproduction);
      ends.push(exit, ...(making.isWhole ? [] : (['input'] as const)));
      if (!options.isJson && made.length > 1) print('\n');
      if (!options.isJson)
        await session.printResult(options, { data: reproduction, document: reproductionDocument(reproduction) });
      making.tell(directory);
      const { note } = resumeNote(directory, interrupt.aborted ? 'interrupted' : exit);
      if (note && whole === undefined) session.note(note);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      session.warn(error);
      ends.push('input');
    }
  }
  if (!options.isJson && made.length > 1) print(`\n${claimSentence(made.flatMap(claimsIn))}\n`);
  if (options.isJson) print(`${JSON.stringify({ reproductions: made }, null, 2)}\n`);
  if (whole !== undefined && (interrupt.aborted || ends.length < all.length))
    session.note(`${ends.length} of ${all.length} tables; continue with --resume ${whole}`);
  return interrupt.aborted ? 'interrupted' : worstOfRuns(ends);
}

/** Returns a new directory for several tables, named by their common source. */
function wholeDirectory(resultsDir: string, [first]: readonly PublishedTable[]): string {
  return resultDirectory(resultsDir, new Date().toISOString(), 'reproduce', first?.source.id ?? '', 'tables');
}

/** Plans the tables. Of several, those that can't run here are left out with a note. */
async function plannedWork(
  session: CommandSession,
  tables: readonly PublishedTable[],
  options: ReproduceOptions,
  given: GivenForRun,
): Promise<Work[]> {
  const here = await runtimesHere(tables);
  const problems: Problem[] = [];
  const all = tables.flatMap((table): Work[] => {
    try {
      return [
        table.scenario === searchName ? searchOf(table, options, given) : comparisonOf(table, options, given, here),
      ];
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      problems.push(...error.problems);
      return [];
    }
  });
  if (all.length === 0) throw new ProblemError(problems);
  for (const { message } of problems) session.note(`left out: ${message}`);
  return all;
}

/** Says how long all tables take. */
function lengthInWords(all: readonly Work[], ms: number): string {
  const more = all.every(({ planned }) => planned) ? '' : ', and a search, which takes as long as its server makes it';
  return `${plural(all.length, 'table')}: about ${duration.print(Math.ceil(ms / 60_000) * 60_000)}${more}`;
}

function comparisonOf(
  table: PublishedTable,
  { scale, time, isStrict }: ReproduceOptions,
  given: GivenForRun,
  here: RuntimesHere,
): Work {
  const planned = planReproduction(table, { scale, time }, given, here);
  return {
    table,
    targets: planned.contenders.map(({ plan }) => plan.target),
    planned,
    run: async (context, place) => {
      const { reproduction, comparison, directory } = await reproduce(planned, context, place);
      const exit = comparison.paired
        ? pairedExit(comparison, isStrict)
        : comparisonExit(comparison, planned.scenario, isStrict);
      return { reproduction, directory, exit };
    },
  };
}

function searchOf(table: PublishedTable, { scale, time }: ReproduceOptions, given: GivenForRun): Work {
  const planned = planSearch(table, { scale, time }, given);
  const { target } = planned.kneePlan.plan;
  return {
    table,
    targets: [target],
    run: (context, place) =>
      reproduceSearch(planned, place, {
        ...context,
        begins: (label) => context.label(`${target.name}  ${label}`),
        tried: (label, { holds }) => context.note(`${label}: ${statementWords.keepsUp[holds]}`),
      }),
  };
}
