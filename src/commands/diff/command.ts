import type { Command } from 'commander';
import { oneDocument, print, printLines } from '../../cli/terminal/output.js';
import { terminalStyle } from '../../cli/terminal/style.js';
import { exitCodes, worstOfRuns } from '../../contract/exit-codes.js';
import { ProblemError, problem } from '../../contract/problems.js';
import { renderDiff } from '../../render/diff.js';
import { renderJunit } from '../../render/exports/junit.js';
import { rowsOf } from '../../render/exports/kept.js';
import { diff as diffSchema } from '../../results/diff.js';
import { keptIn, readRunOrComparison, scenarioOf } from '../../results/kept.js';
import { shapeDifference } from '../compare/assemble.js';
import { runsBeside } from './beside.js';
import { type DiffInput, diffOf, partExit } from './diff.js';
import { renderDiffMarkdown } from './markdown.js';

interface Given {
  force?: true;
  json?: true;
  markdown?: true;
  junit?: true;
  all?: true;
}

/** `ringside diff BASELINE CANDIDATE`: exits with 3 if something became worse, with 4 if the rig may explain all of it. */
export function define(command: Command): void {
  command
    .argument('<baseline>', 'directory of a kept run or comparison')
    .argument('<candidate>', 'another of the same shape')
    .option('--force', 'compare runs of different shapes')
    .option('--all', 'show every figure, also those within the noise')
    .option('--json', 'print one JSON document')
    .option('--markdown', 'print Markdown for a pull request')
    .option('--junit', 'print JUnit XML with verdicts, figures and thresholds as cases')
    .action(diffCommand);
}

async function diffCommand(baseline: string, candidate: string, given: Given): Promise<void> {
  const { json: isJson = false, markdown: isMarkdown = false, junit: isJunit = false } = given;
  oneDocument({ isJson, isMarkdown, isJunit });
  const [before, after] = await Promise.all([readSide(keptIn(baseline)), readSide(keptIn(candidate))]);
  await addBeside(before, after);
  const difference = shapeDifference([before, after].flatMap(({ rows }) => rows.flatMap(({ runs }) => runs)));
  if (difference !== undefined && !given.force) throw new ProblemError([problem('shapesDiffer', difference)]);
  if (before.scenario !== after.scenario) {
    const message = `${baseline} is of ${before.scenario}, ${candidate} of ${after.scenario}`;
    throw new ProblemError([problem('shapesDiffer', message, 'Give two results of one scenario.')]);
  }
  const scenario = scenarioOf(before.scenario, baseline);
  const found = diffSchema.parse(diffOf(scenario, before, after, difference ?? ''));
  if (found.parts.length === 0)
    throw new ProblemError([problem('badResult', `${baseline} and ${candidate} have no target in common`)]);
  if (isJson) print(`${JSON.stringify(found, null, 2)}\n`);
  else if (isJunit) print(renderJunit([], [found]));
  else if (isMarkdown) print(renderDiffMarkdown(found));
  else printLines(renderDiff(found, scenario, terminalStyle(), given.all));
  process.exitCode = exitCodes[worstOfRuns(found.parts.map(partExit))].code;
}

/** Adds to each single run of the baseline the runs kept beside it, which show the noise between runs. */
async function addBeside(before: DiffInput, after: DiffInput): Promise<void> {
  const candidates = after.rows.flatMap(({ runs }) => runs.map(({ directory }) => directory));
  for (const row of before.rows) {
    const [only, ...others] = row.runs;
    if (only && others.length === 0) row.beside = await runsBeside(only, candidates);
  }
}

async function readSide(directory: string): Promise<DiffInput & { scenario: string }> {
  const kept = await readRunOrComparison(directory);
  const rows = rowsOf(kept).map(({ target, runs }) => ({
    target,
    runs: runs.map(({ directory: own, result }) => ({ directory: own === '' ? directory : own, result })),
  }));
  if (rows.some(({ runs }) => runs.length > 0)) return { directory, rows, scenario: kept.scenario };
  throw new ProblemError([problem('badResult', `nothing ran in the comparison of ${directory}`)]);
}
