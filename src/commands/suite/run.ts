import { randomBytes, randomInt } from 'node:crypto';
import { join } from 'node:path';
import type { ExitName } from '../../contract/exit-codes.js';
import { type Problem, ProblemError, problem } from '../../contract/problems.js';
import { rowsOfCells, runCells } from '../../experiment/cells.js';
import { comparisonOf, keepComparison } from '../../experiment/compare.js';
import { junitText } from '../../render/document/junit.js';
import { markdownText } from '../../render/document/markdown.js';
import type { Comparison } from '../../results/comparison.js';
import { ResultStore, refuseUnwritable, resultDirectory } from '../../results/store.js';
import { type CommandSession, type Forms, type Making, type MakingContext, oneDocument } from '../command.js';
import { baselineDocuments, readBaselines, readHeld } from './baseline.js';
import { type HeldBaseline, isLimitedAtMost, type SuiteBook, suiteResultFile } from './book.js';
import { concludeSuite } from './conclude.js';
import {
  begun,
  type Done,
  readBegun,
  readDone,
  recordRun,
  resumeProblems,
  runCount,
  type SuiteJournal,
  slotKey,
  suiteSlots,
  writeProgress,
} from './journal.js';
import { type BesideFile, lengthInWords, readPlan } from './options.js';
import { fingerprintOf, type SuitePlan } from './plan.js';
import { suiteDocument } from './print.js';

interface Standing extends SuiteJournal {
  plan: SuitePlan;
  done: Done;
  held: Map<string, HeldBaseline>;
}

/** Makes the missing runs of a suite, keeps everything and prints the scoreboards. Resolves with the worst exit. */
export async function runSuite(
  session: CommandSession,
  path: string,
  beside: BesideFile,
  resume: string | undefined,
): Promise<ExitName> {
  const { options } = beside;
  oneDocument(options);
  if (resume !== undefined && options.baselineDir !== undefined) refuse(problem('badOption', resumedBaseline));
  const standing = resume === undefined ? await beginning(path, beside) : await resuming(path, beside, resume);
  const { plan, directory, done, held } = standing;
  await refuseUnwritable(resume === undefined ? { '--results': options.resultsDir } : { '--resume': directory });
  const beforehand = new ResultStore(refuse);
  await beforehand.keep(directory, baselineDocuments(held));
  await writeProgress(standing, beforehand);
  session.note(lengthInWords(plan, done.size));
  const making = session.begin(plan.name);
  const book = await makeBook(session, standing, making);
  await new ResultStore(making.context.notKept).keep(directory, documentsOf(book));
  session.printResult(options, formsOf(book));
  making.tell(directory);
  if (!book.suite.isComplete) session.note(`continue with: ringside suite run ${path} --resume ${directory}`);
  const isAccepted = options.isLimitedAccepted && isLimitedAtMost(book.suite);
  return making.exit(isAccepted ? 'clean' : book.suite.exit);
}

export function formsOf(book: SuiteBook): Forms {
  return { data: book.suite, document: suiteDocument(book) };
}

function refuse(each: Problem): never {
  throw new ProblemError([each]);
}

const resumedBaseline = '--baseline: expected none with --resume: a suite resumes with the baseline that it began with';

async function beginning(path: string, { options, given }: BesideFile): Promise<Standing> {
  const { text, planWith } = await readPlan(path, given);
  const plan = planWith(text.file.seed ?? randomInt(0x1_0000_0000));
  const held = await readBaselines(text, plan.entries, options.baselineDir);
  const startedAt = new Date().toISOString();
  const directory = resultDirectory(options.resultsDir, startedAt, 'suite', plan.name, randomBytes(4).toString('hex'));
  return { plan, directory, progress: begun(plan, held, startedAt), done: new Map(), held };
}

async function resuming(path: string, { options, given }: BesideFile, resume: string): Promise<Standing> {
  const { text, planWith } = await readPlan(path, given);
  const { progress, directory } = await readBegun(text.file.name, options.resultsDir, resume || undefined);
  const plan = planWith(progress.seed);
  const problems = resumeProblems(progress, plan, directory);
  if (problems.length > 0) throw new ProblemError(problems);
  const done = await readDone(progress, directory);
  const runs = progress.runs.filter((slot) => done.has(slotKey(slot)));
  return { plan, directory, progress: { ...progress, runs }, done, held: await readHeld(progress, directory) };
}

async function makeBook(
  { withShards, interrupt }: CommandSession,
  { plan, done, held, ...journal }: Standing,
  { context, end }: Making,
): Promise<SuiteBook> {
  const comparisons = await makeEntries(plan, journal, done, { ...context, withShards }).finally(end);
  const boards = plan.entries.flatMap((entry, index) => {
    const comparison = comparisons[index];
    return comparison ? [{ entry, comparison, held: held.get(entry.name) }] : [];
  });
  const { startedAt } = journal.progress;
  const span = { startedAt, endedAt: new Date().toISOString(), isInterrupted: interrupt.aborted };
  return {
    suite: concludeSuite(plan, boards, span),
    boards: boards.map(({ entry: { name, scenario }, comparison }) => ({ name, scenario, comparison })),
  };
}

/** Gives a suite its shards and takes its progress. */
export type SuiteContext = MakingContext & Pick<CommandSession, 'withShards'>;

/** Makes the missing runs of a suite, entry by entry, and keeps each scoreboard. An entry that fails stops no other. */
export async function makeEntries(
  plan: SuitePlan,
  journal: SuiteJournal,
  done: Done,
  context: SuiteContext,
): Promise<Comparison[]> {
  const comparisons: Comparison[] = [];
  const store = new ResultStore(context.notKept);
  let number = done.size;
  let total = runCount(plan.entries);
  for (const { name: entry, plans, repeat, scenario } of plan.entries) {
    const directory = join(journal.directory, entry);
    const cells = plans.map((each) => ({ plan: each, label: each.target.name }));
    const rows = await rowsOfCells(cells);
    const gone = rows.filter(({ state }) => state !== 'ran').map(({ target }) => target);
    const missing = suiteSlots({ name: entry, plans, repeat }).filter((slot) => !done.has(slotKey(slot)));
    total -= missing.filter(({ target }) => gone.includes(target)).length;
    await runCells(
      rows,
      cells,
      {
        // The order is A B C A B C, so that slow drift affects all alike.
        order: Array.from({ length: repeat }, () => cells.map((_, place) => place)),
        directory,
        journal: {
          done: (target, round) => done.get(slotKey({ entry, target, round })),
          record: async (target, round, kept) => {
            done.set(slotKey({ entry, target, round }), kept);
            await recordRun(journal, { entry, target, round }, kept.directory, store);
          },
        },
        withShards: (work) =>
          context.withShards(
            plans[0].fleet,
            plans.map(({ target }) => target),
            work,
          ),
      },
      { ...context, begins: (label) => context.begins(`${entry} ${label}`, ++number, total) },
    );
    const [startedAt = journal.progress.startedAt] = rows
      .flatMap(({ runs }) => runs.map(({ result }) => result.startedAt))
      .sort();
    const facts = { fingerprint: fingerprintOf({ plans }), forced: '', repeat, startedAt };
    const comparison = comparisonOf(scenario, rows, false, facts);
    await keepComparison(directory, comparison, context);
    comparisons.push(comparison);
  }
  return comparisons;
}

/** Returns the documents to write. The result comes last: if it exists, all others exist too. */
function documentsOf(book: SuiteBook): Record<string, object | string> {
  const document = suiteDocument(book);
  return {
    'suite.md': markdownText(document),
    'suite.junit.xml': junitText(document),
    [suiteResultFile]: book.suite,
  };
}
