import { randomBytes, randomInt } from 'node:crypto';
import { join } from 'node:path';
import { contextOf } from '../../cli/context.js';
import { withFleet } from '../../cli/fleet.js';
import { Keeping } from '../../cli/keeping.js';
import { interruptSignal } from '../../cli/signals.js';
import { oneDocument, print, printLines } from '../../cli/terminal/output.js';
import { Progress } from '../../cli/terminal/progress.js';
import { terminalStyle } from '../../cli/terminal/style.js';
import { exitCodes } from '../../contract/exit-codes.js';
import { type Problem, ProblemError, problem } from '../../contract/problems.js';
import { keepDocument, keeping, refuseUnwritable, resultDirectory } from '../../results/keep.js';
import { writeWholeFile } from '../../results/whole-file.js';
import { type Held, keepBaselines, readBaselines, readHeld } from './baseline.js';
import { isLimitedAtMost, type SuiteBook, type SuiteProgress, suiteResultFile } from './book.js';
import { conclude } from './conclude.js';
import { type Beside, lengthInWords, readPlan } from './given.js';
import { begun, type Journal, resumeProblems, writeProgress } from './journal.js';
import { readBegun, readDone } from './kept.js';
import type { SuitePlan } from './plan.js';
import { renderSuiteJunit } from './print/junit.js';
import { renderSuiteMarkdown } from './print/markdown.js';
import { renderSuite } from './print/terminal.js';
import { type Done, slotKey } from './schedule.js';
import { walk } from './walk.js';

/** The state of a suite when it begins or resumes. */
interface Standing {
  plan: SuitePlan;
  directory: string;
  progress: SuiteProgress;
  done: Done;
  held: Map<string, Held>;
}

/** `ringside suite run FILE`: makes the missing runs, prints the scoreboards, and exits by the worst run. */
export async function runSuite(path: string, beside: Beside, resume: string | true | undefined): Promise<void> {
  const { options } = beside;
  oneDocument(options);
  if (resume !== undefined && options.baselineDir !== undefined) refuse(problem('badOption', resumedBaseline));
  const standing = resume === undefined ? await beginning(path, beside) : await resuming(path, beside, resume);
  const { plan, directory, progress, done, held } = standing;
  const journal = { directory, progress };
  await refuseUnwritable(resume === undefined ? { '--results': options.resultsDir } : { '--resume': directory });
  await keeping(directory, refuse, async () => {
    await keepBaselines(directory, held);
    await writeProgress(journal);
  });
  process.stderr.write(`${lengthInWords(plan, done.size)}\n`);
  const interrupt = interruptSignal(exitCodes.interrupted.code);
  const kept = new Keeping();
  const book = await concluded(standing, journal, interrupt, kept);
  await keeping(directory, kept.notKept, () => keepBook(directory, book));
  printBook(book, options);
  kept.tell(directory);
  if (!book.suite.isComplete) process.stderr.write(`continue with: ringside suite run ${path} --resume ${directory}\n`);
  const isAccepted = options.isLimitedAccepted && isLimitedAtMost(book.suite);
  process.exitCode = kept.exitCode(isAccepted ? 'clean' : book.suite.exit);
}

function refuse(each: Problem): never {
  throw new ProblemError([each]);
}

const resumedBaseline = '--baseline: expected none with --resume: a suite resumes with the baseline that it began with';

async function beginning(path: string, beside: Beside): Promise<Standing> {
  const { options } = beside;
  const { text, planWith } = await readPlan(path, beside);
  const plan = planWith(text.file.seed ?? randomInt(0x1_0000_0000));
  const file = { path, name: plan.name, baseline: text.file.baseline };
  const held = await readBaselines(file, plan.entries, options.baselineDir);
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
  const runs = progress.runs.filter((slot) => done.has(slotKey(slot)));
  return { plan, directory, progress: { ...progress, runs }, done, held: await readHeld(progress, directory) };
}

async function concluded(
  { plan, done, held }: Standing,
  journal: Journal,
  interrupt: AbortSignal,
  kept: Keeping,
): Promise<SuiteBook> {
  const progress = new Progress(plan.name);
  const context = { ...contextOf(progress, interrupt, kept), withShards: withFleet };
  const comparisons = await walk(plan, journal, done, context).finally(() => progress.end());
  const boards = plan.entries.flatMap((entry, index) => {
    const comparison = comparisons[index];
    return comparison ? [{ entry, comparison, held: held.get(entry.name) }] : [];
  });
  const span = {
    startedAt: journal.progress.startedAt,
    endedAt: new Date().toISOString(),
    isInterrupted: interrupt.aborted,
  };
  return {
    suite: conclude(plan, boards, span),
    boards: boards.map(({ entry: { name, scenario }, comparison }) => ({ name, scenario, comparison })),
  };
}

/** The result is written last: if it exists, the rest does. */
async function keepBook(directory: string, book: SuiteBook): Promise<void> {
  await writeWholeFile(join(directory, 'suite.md'), [renderSuiteMarkdown(book)]);
  await writeWholeFile(join(directory, 'suite.junit.xml'), [renderSuiteJunit(book)]);
  await keepDocument(join(directory, suiteResultFile), book.suite);
}

/** Prints a suite on stdout in the form that was asked for. */
export function printBook(
  book: SuiteBook,
  { isJson, isMarkdown, isJunit = false }: { isJson: boolean; isMarkdown: boolean; isJunit?: boolean },
): void {
  if (isJson) print(`${JSON.stringify(book.suite, null, 2)}\n`);
  else if (isJunit) print(renderSuiteJunit(book));
  else if (isMarkdown) print(renderSuiteMarkdown(book));
  else printLines(renderSuite(book, terminalStyle()));
}
