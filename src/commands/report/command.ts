import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Command } from 'commander';
import { pageAssets } from '../../cli/watch/page-assets.js';
import { ProblemError, problem } from '../../contract/problems.js';
import { summarize } from '../../measure/samples/distribution.js';
import { isComparison } from '../../render/exports/kept.js';
import { type Curve, curveOf } from '../../render/html/charts/curve.js';
import { type Chosen, chooseRuns, labelled } from '../../render/html/choose.js';
import { renderPage } from '../../render/html/page.js';
import type { Report, ReportRun } from '../../render/html/runs.js';
import type { Comparison } from '../../results/comparison.js';
import { keptIn, readRunOrComparison, readSamples } from '../../results/kept.js';
import { writeWholeFile } from '../../results/whole-file.js';
import { type Scenario, scenarioOf } from '../../run/catalog.js';
import { shapeDifference } from '../compare/assemble.js';

interface Given {
  html: string;
  force?: boolean;
  everyRun?: boolean;
}

/** `ringside report RESULT_DIR… --html FILE`: kept runs, or a comparison, as one page that needs nothing but a browser. */
export function define(command: Command): void {
  command
    .argument('<directories...>', 'directories under results/ that hold runs or comparisons; several overlay')
    .requiredOption('--html <file>', 'the page to write: one file, opened without a network')
    .option('--force', 'put runs of different shapes on one page')
    .option('--every-run', 'of a comparison every run, not the one in the middle of each target')
    .action(async (directories: string[], { html, force = false, everyRun = false }: Given) => {
      const { scenario, runs, chosen, scoreboard } = await gather(directories.map(keptIn), everyRun);
      const difference = await differenceOf(runs, force);
      const page = await pageOf(scenario, runs, { difference, chosen, scoreboard });
      await writeWholeFile(html, [page]).catch((error: NodeJS.ErrnoException) => {
        throw new ProblemError([
          problem('badOption', `--html: expected a file that can be written, received ${html} (${error.message})`),
        ]);
      });
      process.stderr.write(`${html}: ${runs.length === 1 ? '1 run' : `${runs.length} runs`}, ${kilobytes(page)} kB\n`);
    });
}

const kilobytes = (text: string): number => Math.ceil(Buffer.byteLength(text) / 1000);

/** The page of these runs, which are of one scenario, with their samples as they are kept. */
export async function pageOf(
  scenario: Scenario,
  runs: readonly Chosen[],
  { difference = '', chosen = '', scoreboard }: Partial<Pick<Report, 'difference' | 'chosen' | 'scoreboard'>> = {},
): Promise<string> {
  const withCurves: ReportRun[] = [];
  // One after the other: the samples of a large run are tens of megabytes.
  for (const run of labelled(runs)) withCurves.push({ ...run, curves: await curves(run, scenario, runs.length) });
  return renderPage({ scenario, runs: withCurves, difference, chosen, scoreboard, assets: await pageAssets() });
}

async function gather(
  directories: readonly string[],
  isEvery: boolean,
): Promise<{ scenario: Scenario; runs: Chosen[]; chosen: string; scoreboard: Comparison | undefined }> {
  const kept = await Promise.all(
    directories.map(async (directory) => ({ directory, kept: await readRunOrComparison(directory) })),
  );
  const names = [...new Set(kept.map((each) => each.kept.scenario))];
  const [name = ''] = names;
  if (names.length > 1) {
    const message = `one page holds runs of one scenario, and these are of ${names.join(', ')}`;
    throw new ProblemError([problem('shapesDiffer', message, 'Make a page of each.')]);
  }
  const scenario = scenarioOf(name, directories[0] ?? '');
  const parts = kept.map(({ directory, kept: each }) =>
    isComparison(each)
      ? chooseRuns(inside(each, directory), scenario, isEvery)
      : { runs: [{ label: each.target.name, directory, result: each }], how: '' },
  );
  const runs = parts.flatMap((part) => part.runs);
  if (runs.length === 0)
    throw new ProblemError([problem('badResult', `${directories.join(', ')}: no target ran there`)]);
  const [only] = kept;
  return {
    scenario,
    runs,
    scoreboard: only && kept.length === 1 && isComparison(only.kept) ? only.kept : undefined,
    chosen: parts
      .map(({ how }) => how)
      .filter((how) => how !== '')
      .join(' '),
  };
}

/** A comparison may have been moved since its runs wrote down where they are: they lie inside it. */
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

function differenceOf(runs: readonly Chosen[], isForced: boolean): string {
  const difference = shapeDifference(runs);
  if (difference !== undefined && !isForced) throw new ProblemError([problem('shapesDiffer', difference)]);
  return difference ?? '';
}

/** The distributions that a page of so many runs draws: of one run all, of several those of the headline. */
async function curves({ directory, result }: Chosen, scenario: Scenario, runs: number): Promise<Record<string, Curve>> {
  const headline = scenario.headline.flatMap((column) => (column.kind === 'figure' ? [column.metric] : []));
  const metrics = Object.keys(result.samples).filter((metric) => runs === 1 || headline.includes(metric));
  const found: Record<string, Curve> = {};
  for (const metric of metrics) {
    const samples = await readSamples(directory, result, metric);
    const printed = result.metrics[metric];
    const { count, p50, p99, max } = summarize(samples, printed?.unit, printed?.unfinished);
    if (printed?.count !== count || printed.p50 !== p50 || printed.p99 !== p99 || printed.max !== max) {
      const message = `${directory}: the samples of ${metric} are not those of its result`;
      throw new ProblemError([problem('badResult', message, 'Both are written by one run: take them from one copy.')]);
    }
    const curve = curveOf(samples, printed.unfinished, runs);
    if (curve) found[metric] = curve;
  }
  return found;
}
