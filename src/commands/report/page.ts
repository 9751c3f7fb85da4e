import { ProblemError, problem } from '../../contract/problems.js';
import { summarize } from '../../measure/samples/distribution.js';
import { type Curve, curveOf } from '../../render/html/charts/curve.js';
import { type Chosen, labelled } from '../../render/html/choose.js';
import { renderPage } from '../../render/html/page.js';
import type { Report, ReportRun } from '../../render/html/runs.js';
import { readSamples } from '../../results/kept.js';
import type { Scenario } from '../../run/catalog.js';
import { pageAssets } from './page-assets.js';

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
