import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { ProblemError, problem, problemError } from '../../contract/problems.js';
import { forcedDifference } from '../../experiment/compare.js';
import { type Document, headed, type Line, plainText, toned } from '../../render/document/document.js';
import { answerPage } from '../../render/html/document.js';
import { type Chosen, chooseRuns, type Report } from '../../render/html/runs.js';
import { type Comparison, isComparison, type RunOrComparison } from '../../results/comparison.js';
import { latestResult, newestResults } from '../../results/latest.js';
import { ledgerBreaks } from '../../results/recheck.js';
import { directoryOf, readExperiment, writeWholeFile } from '../../results/store.js';
import { readKept } from '../../run/kept.js';
import { switchOf, valued } from '../../run/plan/run-options.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { plural } from '../../units/text.js';
import { isBracket } from '../bracket/print.js';
import { type CommandSession, plain } from '../command.js';
import { computedAgain, experimentDocument, keptForms, keptOfOne } from '../show/command.js';
import { pageAssets, pageOf } from './page.js';

/** `ringside report RESULT_DIR… --html FILE`: writes a kept answer, or several runs, as one page that works offline. */
export const command = plain({
  arguments: [
    { form: '[directories...]', help: 'directories of kept results, the newest by default; several runs share it' },
  ],
  flags: z.strictObject({
    html: z
      .string({ error: 'expected a file to write' })
      .meta(valued('html', 'file', 'page to write: one file that works offline')),
    index: z
      .string()
      .optional()
      .meta(valued('index', 'directory', 'one page over all results in this directory')),
    isForced: switchOf('force', 'allow runs of different loads on one page'),
    isEveryRun: switchOf('every-run', 'show every run of a comparison, not only the median runs'),
  }),
  examples: ['report --html run.html', 'report results/RUN --html run.html', 'report --index results --html all.html'],
  async run(session, { args: given, own: { html, index, ...how } }) {
    if (index !== undefined && given.length > 0)
      throw problemError('badOption', '--index: expected no other directory beside it');
    const args = given.length > 0 ? given : [index ?? (await latestResult())];
    const { page, of, breaks } =
      index === undefined ? await keptPage(args.map(directoryOf), how) : await indexPage(index);
    await writePage(session, html, page, of);
    for (const line of breaks) session.note(line);
    return breaks.length > 0 ? 'rig' : 'clean';
  },
});

interface KeptPage {
  page: string;
  /** Names what the page shows. */
  of: string;
  /** Names the ledgers that do not add up. */
  breaks: readonly string[];
}

/** Returns the page of a kept answer, or of several runs. */
export async function keptPage(
  directories: readonly string[],
  { isForced, isEveryRun }: { isForced: boolean; isEveryRun: boolean },
): Promise<KeptPage> {
  const answer = directories.length === 1 ? await answerOf(directories[0] ?? '') : undefined;
  if (answer !== undefined)
    return { page: answerPage(answer, await pageAssets()), of: plainText(answer.title), breaks: [] };
  const { runs, scenario, breaks, ...found } = await gather(directories, isEveryRun);
  // The runs of one experiment are one test, whatever their shapes.
  const difference = found.scoreboard ? found.scoreboard.forced : forcedDifference(runs, isForced);
  const page = await pageOf(scenario, runs, { difference, ...found });
  return { page, of: plural(runs.length, 'run'), breaks };
}

async function indexPage(root: string): Promise<KeptPage> {
  const names = await newestResults(root);
  if (names.length === 0) throw problemError('badResult', `${root} holds no result`);
  const kept: { name: string; document: Document }[] = [];
  const breaks: string[] = [];
  // Results are read one by one, because those of suites are large.
  for (const name of names) {
    const found = await keptForms(join(root, name)).catch((error: unknown) => {
      if (!(error instanceof ProblemError)) throw error;
      breaks.push(error.message);
    });
    if (found === undefined) continue;
    kept.push({ name, document: found.document });
    breaks.push(...found.breaks);
  }
  return { page: answerPage(indexDocument(root, kept), await pageAssets()), of: plural(kept.length, 'result'), breaks };
}

async function answerOf(directory: string): Promise<Document | undefined> {
  const kept = await readExperiment(directory);
  if (kept === undefined || (kept.kind === 'comparison' && !kept.published && !isBracket(kept))) return undefined;
  return experimentDocument(kept, directory);
}

async function writePage(session: CommandSession, file: string, page: string, of: string): Promise<void> {
  await writeWholeFile(file, [page]).catch(({ message }: NodeJS.ErrnoException) => {
    const received = `--html: expected a file that can be written, received ${file} (${message})`;
    throw problemError('badOption', received);
  });
  session.note(`${file}: ${of}, ${Math.ceil(Buffer.byteLength(page) / 1000)} kB`);
}

type Gathered = Pick<Report, 'scoreboard' | 'chosen'> & {
  scenario: Scenario;
  runs: readonly Chosen[];
  breaks: string[];
};

async function gather(directories: readonly string[], isEvery: boolean): Promise<Gathered> {
  const { scenario, all } = await keptOfOne(directories, readKept);
  refuseBesides(all, isEvery);
  const runs: Chosen[] = [];
  const choices: string[] = [];
  for (const { directory, kept } of all) {
    if (!isComparison(kept)) {
      runs.push({ label: kept.target.name, directory, result: kept });
      continue;
    }
    const { runs: chosen, how } = chooseRuns(inside(kept, directory), scenario, isEvery);
    if (how !== '') choices.push(how);
    // The page of a paired comparison shows its rounds, not the intervals of its runs.
    for (const run of chosen)
      runs.push(kept.paired ? run : { ...run, result: await computedAgain(run.result, run.directory) });
  }
  if (runs.length === 0) throw problemError('badResult', `${directories.join(', ')}: no target ran there`);
  const [only] = all.map(({ kept }) => kept);
  return {
    ...{ scenario, runs, chosen: choices.join(' ') },
    scoreboard: all.length === 1 && only && isComparison(only) ? only : undefined,
    breaks: all.flatMap(({ directory, kept }) => ledgerBreaks(kept).map((text) => `${directory}: ${text}`)),
  };
}

/** Refuses other results beside a paired comparison. It has a page of its own, whose rounds combine all its runs. */
function refuseBesides(all: readonly { directory: string; kept: RunOrComparison }[], isEvery: boolean): void {
  const paired = all.find(({ kept }) => isComparison(kept) && kept.paired);
  if (!paired) return;
  const what = `${paired.directory} holds a paired comparison, which has a page of its own`;
  const problems = [
    ...(all.length > 1 ? [problem('badResult', `${what}; received ${all.length} directories`)] : []),
    ...(isEvery ? [problem('badOption', `--every-run: ${what}; make a page of a run in it`)] : []),
  ];
  if (problems.length > 0) throw new ProblemError(problems);
}

/** Returns the comparison with the directories of its runs inside its own, because it may have moved. */
function inside(comparison: Comparison, directory: string): Comparison {
  const here = (kept: string): string => {
    const moved = join(directory, basename(kept));
    return existsSync(moved) ? moved : kept;
  };
  const rows = comparison.rows.map((row) => ({
    ...row,
    runs: row.runs.map((run) => ({ ...run, directory: here(run.directory) })),
  }));
  return { ...comparison, rows };
}

interface Indexed {
  /** The name of its directory, which begins with the time. */
  name: string;
  document: Document;
}

const stampLength = '2026-11-28T07-11-53Z'.length;

/** Returns a document over many results: a row of each with its answer, and each in brief as details. */
export function indexDocument(root: string, results: readonly Indexed[]): Document {
  const times = results.map(({ name }) => timeOf(name));
  const rows = results.map(({ name, document }, n): Line[] => {
    const { sentence } = headed(document);
    const asked = plainText(document.title);
    return [times[n] ?? name, asked, sentence === asked ? '–' : sentence, checksOf(document)];
  });
  return {
    title: `results in ${root}`,
    parts: [
      { isAnswer: true, blocks: [`${plural(results.length, 'result')}, from ${times.at(-1)} to ${times[0]}.`] },
      { blocks: [{ head: ['started', 'asked', 'answer', 'checks passed'], rows, left: [0, 1, 2, 3] }] },
    ],
    details: results.map(({ name, document }) => ({
      ...document,
      name,
      details: [],
      parts: document.parts.filter(({ only, isAnswer }) => isAnswer || only !== 'whole'),
    })),
    suites: results.flatMap(({ document }) => document.suites),
  };
}

function timeOf(name: string): string {
  const [day = '', time = ''] = name.slice(0, stampLength).split('T');
  return `${day} ${time.slice(0, 5).replace('-', ':')}`;
}

function checksOf({ suites }: Document): Line {
  const checks = suites.flatMap((suite) => suite.checks);
  const passed = checks.filter(({ fault }) => fault === undefined).length;
  const isBroken = checks.some(({ fault }) => fault !== undefined && fault.is !== 'skipped');
  return toned[isBroken ? 'bad' : 'good'](`${passed} of ${checks.length}`);
}
