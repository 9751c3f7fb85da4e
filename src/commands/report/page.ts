import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { problemError } from '../../contract/problems.js';
import { summarize } from '../../measure/samples/distribution.js';
import type { Curve } from '../../render/html/charts/chart.js';
import { curveOf } from '../../render/html/charts/latency.js';
import { renderPage } from '../../render/html/page.js';
import { type Assets, type Chosen, labelled, type Report, type ReportRun } from '../../render/html/runs.js';
import { readSamples } from '../../results/store.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { packageFile } from '../../units/package-files.js';

/** Returns the page of these runs of one scenario, with curves from their kept samples. */
export async function pageOf(
  scenario: Scenario,
  runs: readonly Chosen[],
  { difference = '', chosen = '', ...board }: Partial<Pick<Report, 'difference' | 'chosen' | 'scoreboard'>> = {},
): Promise<string> {
  const withCurves: ReportRun[] = [];
  // Runs are read one by one, because the samples of a large run are tens of megabytes.
  for (const run of labelled(runs))
    withCurves.push({ ...run, curves: board.scoreboard?.paired ? {} : await curves(run, scenario, runs.length) });
  return renderPage({ scenario, runs: withCurves, difference, chosen, ...board, assets: await pageAssets() });
}

async function curves({ directory, result }: Chosen, scenario: Scenario, runs: number): Promise<Record<string, Curve>> {
  const headline = scenario.headline.flatMap((column) => (column.kind === 'figure' ? [column.metric] : []));
  const metrics = Object.keys(result.samples).filter((metric) => runs === 1 || headline.includes(metric));
  const found: Record<string, Curve> = {};
  for (const metric of metrics) {
    const samples = await readSamples(directory, result, metric);
    const printed = result.metrics[metric];
    const { count, p50, p99, max } = summarize(samples, printed?.unit, printed?.unfinished, printed?.independent);
    if (printed?.count !== count || printed.p50 !== p50 || printed.p99 !== p99 || printed.max !== max) {
      const message = `${directory}: the samples of ${metric} do not belong to its result`;
      throw problemError('badResult', message, 'Copy the whole directory of the run.');
    }
    const curve = curveOf(samples, printed, runs);
    if (curve) found[metric] = curve;
  }
  return found;
}

/** Reads the scripts and styles of a page: the chart library, and our own compiled script. */
export async function pageAssets(): Promise<Assets> {
  const text = (path: string): Promise<string> => readFile(path, 'utf8');
  const { resolve } = createRequire(import.meta.url);
  const [uplotScript, uplotStyle, drawScript] = await Promise.all([
    text(resolve('uplot/dist/uPlot.iife.min.js')),
    text(resolve('uplot/dist/uPlot.min.css')),
    text(packageFile('dist/src/render/html/script/draw.js')),
  ]);
  return { uplotScript, uplotStyle, drawScript };
}
