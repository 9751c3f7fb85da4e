import { randomBytes, randomInt } from 'node:crypto';
import { join } from 'node:path';
import type { ExitName } from '../../contract/exit-codes.js';
import { type Problem, ProblemError, problem } from '../../contract/problems.js';
import { rowsOfCells, runCells } from '../../experiment/cells.js';
import { comparisonOf, keepComparison } from '../../experiment/compare.js';
import { Journal, resumeJournal } from '../../experiment/journal.js';
import { markdownText } from '../../render/document/markdown.js';
import { junitText } from '../../render/junit.js';
import type { Comparison } from '../../results/comparison.js';
import { experimentFile } from '../../results/journal.js';
import { ResultStore, refuseUnwritable, resultDirectory } from '../../results/store.js';
import { type CommandSession, type Forms, type Making, type MakingContext, oneDocument } from '../command.js';
import { baselineDocuments, readBaselines, readHeld } from './baseline.js';
import { type HeldBaseline, isLimitedAtMost, type SuiteBook } from './book.js';
import { concludeSuite } from './conclude.js';
import { askedOfSuite, readBegun, runCount } from './journal.js';
import { type BesideFile, lengthInWords, readPlan } from './options.js';
import { fingerprintOf, interleaved, type SuitePlan } from './plan.js';
import { suiteDocument } from './print.js';

interface Standing {
  plan: SuitePlan;
  journal: Journal;
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
  const { plan, journal, held } = standing;
  const { directory } = journal;
  await refuseUnwritable(resume === undefined ? { '--results': options.resultsDir } : { '--resume': directory });
  const beforehand = new ResultStore(refuse);
  await beforehand.keep(directory, baselineDocuments(held));
  await journal.write(beforehand);
  session.note(lengthInWords(plan, journal.kept.runs.length));
  const making = session.begin(plan.name);
  const book = await makeBook(session, standing, making);
  await new ResultStore(making.context.notKept).keep(directory, documentsOf(book));
  await session.printResult(options, { ...formsOf(book), isBrief: true });
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
  const kept = { seed: plan.seed, startedAt, asked: askedOfSuite(plan), runs: [] };
  return { plan, journal: new Journal(directory, kept), held };
}

async function resuming(path: string, { options, given }: BesideFile, resume: string): Promise<Standing> {
  const { text, planWith } = await readPlan(path, given);
  const { kept, directory } = await readBegun(text.file.name, options.resultsDir, resume || undefined);
  const plan = planWith(kept.seed);
  const journal = await resumeJournal(directory, kept, askedOfSuite(plan));
  return { plan, journal, held: await readHeld(plan.entries, directory) };
}

async function makeBook(
  { withShards, interrupt }: CommandSession,
  { plan, journal, held }: Standing,
  { context, end }: Making,
): Promise<SuiteBook> {
  const comparisons = await makeEntries(plan, journal, { ...context, withShards }).finally(end);
  const boards = plan.entries.flatMap((entry, index) => {
    const comparison = comparisons[index];
    return comparison ? [{ entry, comparison, held: held.get(entry.name) }] : [];
  });
  const { startedAt } = journal.kept;
  const span = { startedAt, endedAt: new Date().toISOString(), isInterrupted: interrupt.aborted };
  return {
    suite: { ...concludeSuite(plan, boards, span), journal: journal.kept },
    boards: boards.map(({ entry: { name, scenario }, comparison }) => ({ name, scenario, comparison })),
  };
}

/** Gives a suite its shards and takes its progress. */
export type SuiteContext = MakingContext & Pick<CommandSession, 'withShards'>;

/** Makes the missing runs of a suite, entry by entry, and keeps each scoreboard. An entry that fails stops no other. */
export async function makeEntries(plan: SuitePlan, journal: Journal, context: SuiteContext): Promise<Comparison[]> {
  const comparisons: Comparison[] = [];
  let number = journal.kept.runs.length;
  let total = runCount(plan.entries);
  for (const { name: entry, plans, repeat, scenario } of plan.entries) {
    const directory = join(journal.directory, entry);
    const cells = plans.map((each) => ({ plan: each, label: `${entry} ${each.target.name}` }));
    const rows = (await rowsOfCells(cells)).map((row, place) => ({ ...row, target: plans[place]!.target.name }));
    const order = interleaved(cells.length, repeat);
    const isGone = (place: number, round: number): boolean =>
      rows[place]?.state !== 'ran' && !journal.done(cells[place]!.label, round);
    total -= order.flatMap((places, round) => places.filter((place) => isGone(place, round))).length;
    await runCells(
      rows,
      cells,
      {
        order,
        directory,
        journal,
        withShards: (work) =>
          context.withShards(
            plans[0].fleet,
            plans.map(({ target }) => target),
            work,
          ),
      },
      { ...context, begins: (label) => context.begins(label, ++number, total) },
    );
    const [startedAt = journal.kept.startedAt] = rows
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
    [experimentFile]: book.suite,
  };
}
