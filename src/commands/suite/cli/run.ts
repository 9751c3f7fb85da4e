import { randomBytes, randomInt } from 'node:crypto';
import { join } from 'node:path';
import type { ExitName } from '../../../contract/exit-codes.js';
import { type Problem, ProblemError, problem } from '../../../contract/problems.js';
import { keepDocument, keeping, refuseUnwritable, resultDirectory } from '../../../results/keep.js';
import { writeWholeFile } from '../../../results/whole-file.js';
import type { Making, Session } from '../../command.js';
import type { Held } from '../baseline.js';
import { baselineFile, isLimitedAtMost, type SuiteProgress, suiteResultFile } from '../book.js';
import { conclude } from '../conclude.js';
import { begun, Journal, resumeProblems } from '../journal.js';
import type { SuitePlan } from '../plan.js';
import type { SuiteBook } from '../print/book.js';
import { renderSuiteJunit } from '../print/junit.js';
import { renderSuiteMarkdown } from '../print/markdown.js';
import { slotKey } from '../schedule.js';
import type { SuiteOptions } from '../suite-options.js';
import { type Done, walk } from '../walk.js';
import { readBaselines, readBegun, readDone, readHeld } from './kept.js';
import { type Beside, lengthInWords, readPlan } from './plan.js';
import { formsOf } from './print.js';

/** What a suite goes on with, at its beginning or after an interruption. */
interface Standing {
  plan: SuitePlan;
  directory: string;
  progress: SuiteProgress;
  done: Done;
  held: Map<string, Held>;
}

/** `ringside suite run FILE`: makes every run that is not done yet, keeps each, and prints one scoreboard. Resolves with the worst exit. */
export async function runSuite(
  session: Session,
  path: string,
  beside: Beside,
  resume: string | true | undefined,
): Promise<ExitName> {
  const { options } = beside;
  const problems = contradictions(options, resume);
  if (problems.length > 0) throw new ProblemError(problems);
  const standing = resume === undefined ? await beginning(path, beside) : await resuming(path, beside, resume);
  const { plan, directory, progress, done, held } = standing;
  const journal = new Journal(directory, progress);
  await refuseUnwritable(resume === undefined ? { '--results': options.resultsDir } : { '--resume': directory });
  await keeping(directory, refuse, async () => {
    await keepBaselines(directory, held);
    await journal.write();
  });
  session.note(lengthInWords(plan, done.size));
  const making = session.begin(plan.name);
  const book = await concluded(session, standing, journal, making);
  await keeping(directory, making.context.notKept, () => keepBook(directory, book));
  session.printResult(options, formsOf(book));
  making.tell(directory);
  if (!book.suite.isComplete) session.note(`go on with: ringside suite run ${path} --resume ${directory}`);
  const isAccepted = options.isLimitedAccepted && isLimitedAtMost(book.suite);
  return making.exit(isAccepted ? 'clean' : book.suite.exit);
}

/** Before any load, what can't be kept is not begun. */
function refuse(each: Problem): never {
  throw new ProblemError([each]);
}

function contradictions(options: SuiteOptions, resume: string | true | undefined): Problem[] {
  const { isJson, isMarkdown, previousDir, baselineDir } = options;
  const given = Object.entries({ '--previous': previousDir, '--baseline': baselineDir });
  const flags = given.flatMap(([flag, directory]) => (directory === undefined ? [] : flag));
  return [
    ...(isJson && isMarkdown ? [problem('badOption', '--markdown: expected --json or --markdown, received both')] : []),
    ...(flags.length > 1
      ? [problem('badOption', '--previous and --baseline: expected one of them, received both')]
      : []),
    ...(resume === undefined
      ? []
      : flags.map((flag) =>
          problem('badOption', `${flag}: a suite that is resumed is held against what it was begun with`),
        )),
  ];
}

async function beginning(path: string, beside: Beside): Promise<Standing> {
  const { options } = beside;
  const { text, planWith } = await readPlan(path, beside);
  const plan = planWith(text.file.seed ?? randomInt(0x1_0000_0000));
  const held = await readBaselines({ path, name: plan.name, baseline: text.file.baseline }, plan.entries, options);
  const startedAt = new Date().toISOString();
  const directory = resultDirectory(options.resultsDir, startedAt, 'suite', plan.name, randomBytes(4).toString('hex'));
  return { plan, directory, progress: begun(plan, held, startedAt), done: new Map(), held };
}

async function resuming(path: string, beside: Beside, resume: string | true): Promise<Standing> {
  const { text, planWith } = await readPlan(path, beside);
  const named = resume === true ? undefined : resume;
  const { progress, directory } = await readBegun(text.file.name, beside.options.resultsDir, named);
  const plan = planWith(progress.seed);
  const problems = resumeProblems(progress, plan, directory);
  if (problems.length > 0) throw new ProblemError(problems);
  const done = await readDone(progress, directory);
  // A run whose result can't be read is made again.
  const runs = progress.runs.filter((slot) => done.has(slotKey(slot)));
  return { plan, directory, progress: { ...progress, runs }, done, held: await readHeld(progress, directory) };
}

async function concluded(
  { withShards, interrupt }: Session,
  { plan, done, held }: Standing,
  journal: Journal,
  { context, end }: Making,
): Promise<SuiteBook> {
  const comparisons = await walk(plan, journal, done, { ...context, withShards }).finally(end);
  const boards = plan.entries.flatMap((entry, index) => {
    const comparison = comparisons[index];
    return comparison ? [{ entry, comparison, held: held.get(entry.name) }] : [];
  });
  const span = { startedAt: journal.startedAt, endedAt: new Date().toISOString(), isInterrupted: interrupt.aborted };
  return {
    suite: conclude(plan, boards, span),
    boards: boards.map(({ entry: { name, scenario }, comparison }) => ({ name, scenario, comparison })),
  };
}

/** Beside each entry, so that the suite after this one finds it wherever this one is taken. */
async function keepBaselines(directory: string, held: ReadonlyMap<string, Held>): Promise<void> {
  for (const [name, each] of held) {
    if ('comparison' in each) await keepDocument(join(directory, name, baselineFile), each.comparison);
  }
}

/** The result last: where it is, all else is. */
async function keepBook(directory: string, book: SuiteBook): Promise<void> {
  await writeWholeFile(join(directory, 'suite.md'), [renderSuiteMarkdown(book)]);
  await writeWholeFile(join(directory, 'suite.junit.xml'), [renderSuiteJunit(book)]);
  await keepDocument(join(directory, suiteResultFile), book.suite);
}
