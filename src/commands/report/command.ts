import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { ProblemError, problem } from '../../contract/problems.js';
import { forcedDifference } from '../../experiment/compare.js';
import { type Document, plainText } from '../../render/document/document.js';
import { answerPage } from '../../render/html/document.js';
import { type Chosen, chooseRuns } from '../../render/html/runs.js';
import { ledgerBreaks } from '../../results/broken-ledger.js';
import { type Comparison, isComparison, type RunOrComparison } from '../../results/comparison.js';
import { latestResult, newestResults } from '../../results/latest.js';
import { directoryOf, readExperiment, writeWholeFile } from '../../results/store.js';
import { readKept, scenarioOf } from '../../run/kept.js';
import { switchOf } from '../../run/plan/option-kinds.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { plural } from '../../units/text.js';
import { isBracket } from '../bracket/print.js';
import { type CommandSession, plain } from '../command.js';
import { computedAgain, experimentDocument, keptForms } from '../show/command.js';
import { indexDocument } from './index-document.js';
import { pageAssets, pageOf } from './page.js';

/** `ringside report RESULT_DIR… --html FILE`: writes a kept answer, or several runs, as one page that works offline. */
export const command = plain({
  arguments: [
    { form: '[directories...]', help: 'directories of kept results, the newest by default; several runs share it' },
  ],
  flags: z.strictObject({
    html: z.string({ error: 'expected a file to write' }).meta({
      flag: 'html',
      placeholder: 'file',
      help: 'page to write: one file that works offline',
    }),
    index: z.string().optional().meta({
      flag: 'index',
      placeholder: 'directory',
      help: 'one page over all results in this directory',
    }),
    isForced: switchOf('force', 'allow runs of different loads on one page'),
    isEveryRun: switchOf('every-run', 'show every run of a comparison, not only the median runs'),
  }),
  examples: ['report --html run.html', 'report results/RUN --html run.html', 'report --index results --html all.html'],
  async run(session, { args: given, own: { html, index, ...how } }) {
    if (index !== undefined && given.length > 0)
      throw new ProblemError([problem('badOption', '--index: expected no other directory beside it')]);
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
  const { scenario, runs, chosen, scoreboard, disagreeing, breaks } = await gather(directories, isEveryRun);
  // The runs of one experiment are one test, whatever their shapes.
  const difference = scoreboard ? scoreboard.forced : forcedDifference(runs, isForced);
  const page = await pageOf(scenario, runs, { difference, chosen, scoreboard, disagreeing });
  return { page, of: plural(runs.length, 'run'), breaks };
}

async function indexPage(root: string): Promise<KeptPage> {
  const names = await newestResults(root);
  if (names.length === 0) throw new ProblemError([problem('badResult', `${root} holds no result`)]);
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

/** Returns the document of an experiment whose page has no charts; undefined for runs and comparisons. */
async function answerOf(directory: string): Promise<Document | undefined> {
  const kept = await readExperiment(directory);
  if (kept === undefined || (kept.kind === 'comparison' && !kept.published && !isBracket(kept))) return undefined;
  return experimentDocument(kept, directory);
}

async function writePage(session: CommandSession, file: string, page: string, of: string): Promise<void> {
  await writeWholeFile(file, [page]).catch(({ message }: NodeJS.ErrnoException) => {
    const received = `--html: expected a file that can be written, received ${file} (${message})`;
    throw new ProblemError([problem('badOption', received)]);
  });
  session.note(`${file}: ${of}, ${Math.ceil(Buffer.byteLength(page) / 1000)} kB`);
}

async function gather(
  directories: readonly string[],
  isEvery: boolean,
): Promise<{
  scenario: Scenario;
  runs: Chosen[];
  chosen: string;
  scoreboard: Comparison | undefined;
  disagreeing: string;
  breaks: string[];
}> {
  const kept = await Promise.all(
    directories.map(async (directory) => ({ directory, kept: await readKept(directory) })),
  );
  refuseBesides(kept, isEvery);
  const names = [...new Set(kept.map((each) => each.kept.scenario))];
  const [name = ''] = names;
  if (names.length > 1) {
    const message = `one page holds runs of one scenario, and these are of ${names.join(', ')}`;
    throw new ProblemError([problem('shapesDiffer', message, 'Make a page of each.')]);
  }
  const scenario = scenarioOf(
    name,
    directories[0] ?? '',
    kept.map((each) => each.kept),
  );
  const parts = kept.map(({ directory, kept: each }) =>
    isComparison(each)
      ? chooseRuns(inside(each, directory), scenario, isEvery)
      : { runs: [{ label: each.target.name, directory, result: each }], how: '' },
  );
  const chosen = parts.flatMap((part) => part.runs);
  if (chosen.length === 0)
    throw new ProblemError([problem('badResult', `${directories.join(', ')}: no target ran there`)]);
  const [only] = kept;
  const board =
    only && kept.length === 1 && isComparison(only.kept) ? await computedAgain(only.kept, only.directory) : undefined;
  // The page of a paired comparison shows its rounds, not the intervals of its runs.
  const { runs, disagreeing } = board?.kept.paired ? { runs: chosen, disagreeing: '' } : await runsAgain(chosen);
  return {
    scenario,
    runs,
    scoreboard: board?.kept,
    breaks: kept.flatMap((each) => ledgerBreaks(each.kept).map((text) => `${each.directory}: ${text}`)),
    disagreeing: [board?.disagreeing ?? '', disagreeing].filter((each) => each !== '').join('; '),
    chosen: parts.flatMap(({ how }) => (how === '' ? [] : how)).join(' '),
  };
}

async function runsAgain(chosen: readonly Chosen[]): Promise<{ runs: Chosen[]; disagreeing: string }> {
  const runs: Chosen[] = [];
  const notes: string[] = [];
  for (const run of chosen) {
    const { kept, disagreeing } = await computedAgain(run.result, run.directory);
    runs.push({ ...run, result: kept });
    if (disagreeing !== '') notes.push(`${run.directory}: ${disagreeing}`);
  }
  return { runs, disagreeing: notes.join('; ') };
}

/** Refuses other results beside a paired comparison. It has a page of its own, whose rounds combine all its runs. */
function refuseBesides(kept: readonly { directory: string; kept: RunOrComparison }[], isEvery: boolean): void {
  const paired = kept.find((each) => isComparison(each.kept) && each.kept.paired);
  if (!paired) return;
  const what = `${paired.directory} holds a paired comparison, which has a page of its own`;
  const problems = [
    ...(kept.length > 1 ? [problem('badResult', `${what}; received ${kept.length} directories`)] : []),
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
