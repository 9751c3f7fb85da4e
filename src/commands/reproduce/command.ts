import { join } from 'node:path';
import { type ExitName, worstOfRuns } from '../../contract/exit-codes.js';
import { type Problem, ProblemError, problemError, resolveOrRefuse } from '../../contract/problems.js';
import { resumeNote } from '../../experiment/journal.js';
import type { PublishedTable, Reproduction } from '../../results/published.js';
import { refuseUnwritable, resultDirectory } from '../../results/store.js';
import type { GivenForRun } from '../../run/plan/plan.js';
import type { ShardClient } from '../../run/shards/shard-client.js';
import { jsonText, plural } from '../../units/text.js';
import { duration } from '../../units/unit.js';
import { type CommandSession, oneDocument, plain } from '../command.js';
import { claimSentence, claimsIn } from './claims.js';
import { listPublished, publishedDocument } from './list.js';
import { planReproduction, type ReproduceOptions, reproduceOptions } from './plan.js';
import { reproductionDocument } from './print.js';
import { chosenTables, readPublished, runtimesHere, searchName } from './published.js';
import { carrierOf, expectedLength, placeIn, refuseUncarried, type Work, workOf } from './reproduce.js';
import { planSearch, workOfSearch } from './search.js';

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
      throw problemError('badOption', message, 'Run `ringside reproduce --list` to see them.');
    }
    return reproduceAll(session, chosenTables(tables, names), options, given);
  },
});

/** Checks all tables, then runs each on bench-runners of its own. A table that fails stops no other. */
async function reproduceAll(
  session: CommandSession,
  tables: readonly PublishedTable[],
  options: ReproduceOptions,
  given: GivenForRun,
): Promise<ExitName> {
  const { resume, resultsDir, budgetMs, isJson } = options;
  const name = [tables[0]?.source.id ?? '', 'tables'] as const;
  const place = resume ?? resultDirectory(resultsDir, new Date().toISOString(), 'reproduce', ...name);
  const whole = tables.length === 1 ? undefined : place;
  const all = await plannedWork(session, tables, options, given);
  const targets = all.flatMap((each) => each.targets);
  const elsewhere = await session.inOwnNetwork({ fleet: options, targets });
  if (elsewhere !== null) return elsewhere;
  await refuseUnwritable({ '--results': resultsDir });
  const lengths = await session.withShards(options, targets, async (shards) => {
    const carrier = await carrierOf({ shards, childDescriptors: session.limits.descriptors });
    const plans = all.flatMap(({ planned }) => planned ?? []);
    refuseUncarried(plans, carrier);
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
    const own = whole === undefined ? { resume } : placeIn(join(whole, id));
    const ownMs = budgetMs === undefined ? undefined : Math.round((budgetMs * lengths[at]!) / wholeMs);
    const work = (shards: ShardClient[]) => each.run({ ...making.context, shards }, { ...own, budgetMs: ownMs });
    try {
      const done = session.withShards(options, each.targets, work).finally(making.end);
      const { reproduction, exit, directory } = await done;
      made.push(reproduction);
      ends.push(exit, ...(making.isWhole ? [] : (['input'] as const)));
      if (!isJson && made.length > 1) print('\n');
      const document = reproductionDocument(reproduction);
      if (!isJson) await session.printResult(options, { data: reproduction, document });
      making.tell(directory);
      const { note } = resumeNote(directory, interrupt.aborted ? 'interrupted' : exit);
      if (note && whole === undefined) session.note(note);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      session.warn(error);
      ends.push('input');
    }
  }
  if (isJson) print(jsonText({ reproductions: made }));
  else if (made.length > 1) print(`\n${claimSentence(made.flatMap(claimsIn))}\n`);
  if (whole !== undefined && (interrupt.aborted || ends.length < all.length))
    session.note(`${ends.length} of ${all.length} tables; continue with --resume ${whole}`);
  return interrupt.aborted ? 'interrupted' : worstOfRuns(ends);
}

async function plannedWork(
  session: CommandSession,
  tables: readonly PublishedTable[],
  { scale, time, isStrict }: ReproduceOptions,
  given: GivenForRun,
): Promise<Work[]> {
  const here = await runtimesHere(tables);
  const size = { scale, time };
  const problems: Problem[] = [];
  const all = tables.flatMap((table): Work[] => {
    try {
      if (table.scenario === searchName) return [workOfSearch(planSearch(table, size, given))];
      return [workOf(planReproduction(table, size, given, here), isStrict)];
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

function lengthInWords(all: readonly Work[], ms: number): string {
  const more = all.every(({ planned }) => planned) ? '' : ', and a search, which takes as long as its server makes it';
  return `${plural(all.length, 'table')}: about ${duration.print(Math.ceil(ms / 60_000) * 60_000)}${more}`;
}
