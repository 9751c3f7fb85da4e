import type { Command } from 'commander';
import { oneDocument, print, printLines } from '../../cli/terminal/output.js';
import { terminalStyle } from '../../cli/terminal/style.js';
import { exitCodes, worstOfRuns } from '../../contract/exit-codes.js';
import { ProblemError, problem } from '../../contract/problems.js';
import { renderDiff } from '../../render/diff.js';
import { renderJunit } from '../../render/exports/junit.js';
import { rowsOf } from '../../render/exports/kept.js';
import { diff as diffSchema } from '../../results/diff.js';
import { keptIn, readRunOrComparison } from '../../results/kept.js';
import { scenarioOf } from '../../run/catalog.js';
import { shapeDifference } from '../compare/assemble.js';
import { runsBeside } from './beside.js';
import { type DiffInput, diffOf, partExit } from './diff.js';
import { renderDiffMarkdown } from './markdown.js';

interface Given {
  force?: boolean;
  json?: boolean;
  markdown?: boolean;
  junit?: boolean;
  all?: boolean;
}

/** `ringside diff BASELINE CANDIDATE`: two kept runs, or comparisons target by target; exits with 3 where something became worse by more than the noise, and with 4 where the rig may have written all of that. */
export function define(command: Command): void {
  command
    .argument('<baseline>', 'directory under results/ that holds a run or a comparison')
    .argument('<candidate>', 'another, of the same shape')
    .option('--force', 'hold runs of different shapes against each other')
    .option('--all', 'show every figure, also those beside the headline that are within the noise')
    .option('--json', 'print one JSON document')
    .option('--markdown', 'print Markdown, for the comment on a pull request')
    .option(
      '--junit',
      'print JUnit XML: what may be believed of either side, figures of which noise is known and promises as test cases',
    )
    .action(async (baseline: string, candidate: string, given: Given) => {
      const { force = false, json = false, markdown = false, junit = false, all = false } = given;
      oneDocument({ isJson: json, isMarkdown: markdown, isJunit: junit });
      const [before, after] = await Promise.all([readSide(keptIn(baseline)), readSide(keptIn(candidate))]);
      await addBeside(before, after);
      const difference = shapeDifference([before, after].flatMap(({ rows }) => rows.flatMap(({ runs }) => runs)));
      if (difference !== undefined && !force) throw new ProblemError([problem('shapesDiffer', difference)]);
      if (before.scenario !== after.scenario)
        throw new ProblemError([
          problem(
            'shapesDiffer',
            `${baseline} is of ${before.scenario}, ${candidate} of ${after.scenario}`,
            scenarioHint,
          ),
        ]);
      const scenario = scenarioOf(before.scenario, baseline);
      const found = diffSchema.parse(diffOf(scenario, before, after, difference ?? ''));
      if (found.parts.length === 0)
        throw new ProblemError([problem('badResult', `${baseline} and ${candidate} have no target in common`)]);
      if (json) print(`${JSON.stringify(found, null, 2)}\n`);
      else if (junit) print(renderJunit([], [found]));
      else if (markdown) print(renderDiffMarkdown(found));
      else printLines(renderDiff(found, scenario, terminalStyle(), all));
      // Void runs give nothing that could be held against anything, and a change of limited ones may be the rig's: neither is told as the target's.
      process.exitCode = exitCodes[worstOfRuns(found.parts.map(partExit))].code;
    });
}

const scenarioHint = 'Figures of different scenarios are not of the same kind: give two results of one scenario.';

/** To each single run of the baseline the runs beside it, which tell what changes between runs. */
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
  throw new ProblemError([problem('badResult', `${directory} holds a comparison in which nothing ran`)]);
}
