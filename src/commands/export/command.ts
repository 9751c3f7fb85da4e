import { z } from 'zod';
import { type ProblemError, problemError } from '../../contract/problems.js';
import { type Format, firstMetric, formats } from '../../render/exports.js';
import { isComparison } from '../../results/comparison.js';
import { latestResult } from '../../results/latest.js';
import { ledgerBreaks } from '../../results/recheck.js';
import type { RunResult } from '../../results/result.js';
import { directoryOf, readSamples } from '../../results/store.js';
import { readKept, scenarioOf } from '../../run/kept.js';
import { valued } from '../../run/plan/run-options.js';
import { type CommandSession, plain } from '../command.js';

const names = formats.map(({ name }) => name);
const lines = formats.map(({ name, holds }) => `  ${name.padEnd(14)}${holds.replaceAll('`', '')}`);

/** `ringside export RESULT_DIR --format FORMAT`: writes a kept result in a format that other tools read. */
export const command = plain({
  arguments: [{ form: '[directory]', help: 'directory of a kept result; the newest by default' }],
  flags: z.strictObject({
    format: z.enum(names).meta(valued('format', 'format', `output format: ${names.join(', ')}`)),
    metrics: z
      .array(z.string())
      .default([])
      .meta(valued('metric', 'metric', 'metric to export samples of; repeatable for some formats')),
    output: z
      .string()
      .optional()
      .meta(valued('output', 'file', 'file to write; stdout by default')),
  }),
  notes: `\nFormats:\n${lines.join('\n')}`,
  examples: ['export results/RUN --format csv --metric delivery --output delivery.csv'],
  async run(session, { args: [path], own: { format: name, metrics: asked, output } }) {
    const directory = path === undefined ? await latestResult() : directoryOf(path);
    const format = formats.find((each) => each.name === name) as Format;
    const kept = await readKept(directory);
    if (isComparison(kept))
      throw problemError('badResult', `${directory} holds a comparison; ${name} needs a run`, runHint);
    const metrics = metricsOf(kept, directory, format, asked);
    noteSamples(session, kept, format, metrics);
    const source = {
      kept,
      metrics,
      samples: (metric: string) => readSamples(directory, kept, metric),
      independent: (metric: string) => kept.metrics[metric]?.independent,
      unfinished: (metric: string) => kept.metrics[metric]?.unfinished ?? 0,
    };
    await session.write(format.write(source), output);
    const breaks = ledgerBreaks(kept);
    for (const line of breaks) session.note(`${directory}: ${line}`);
    return breaks.length > 0 ? 'rig' : 'clean';
  },
});

const runHint = 'Give the directory of one of its runs, which lie inside it.';

function wrongMetric(expected: string, asked: readonly string[]): ProblemError {
  const received = asked.length === 0 ? 'none' : asked.join(', ');
  return problemError('badOption', `--metric: expected ${expected}, received ${received}`);
}

function metricsOf(kept: RunResult, directory: string, format: Format, asked: readonly string[]): readonly string[] {
  if (!format.samples) {
    if (asked.length === 0) return [];
    throw wrongMetric(`none, as ${format.name} has no samples`, asked);
  }
  const known = Object.keys(kept.samples);
  if (asked.some((metric) => !known.includes(metric))) throw wrongMetric(`one of ${known.join(', ')}`, asked);
  if (format.samples === 'any') return asked.length > 0 ? asked : known;
  if (asked.length > 1) throw wrongMetric(`one, as ${format.name} holds one`, asked);
  const filled = known.filter((metric) => (kept.samples[metric]?.count ?? 0) > 0);
  const metric = asked[0] ?? firstMetric(kept, scenarioOf(kept.scenario, directory, [kept]));
  if (metric !== undefined && filled.includes(metric)) return [metric];
  const expected = filled.length > 0 ? `one of ${filled.join(', ')}` : `a metric with samples in ${directory}`;
  throw wrongMetric(expected, asked);
}

/** Prints what samples do not show themselves: histograms are rounded, and unfinished work has no sample. */
function noteSamples(
  { note }: CommandSession,
  kept: RunResult,
  { samples }: Pick<Format, 'samples'>,
  metrics: readonly string[],
): void {
  const coarse = metrics.filter((metric) => kept.samples[metric]?.kind === 'histogram');
  if (coarse.length > 0) note(`kept as a histogram, exact to three digits: ${coarse.join(', ')}`);
  for (const metric of metrics) {
    const { count = 0, unfinished = 0 } = kept.metrics[metric] ?? {};
    if (unfinished === 0) continue;
    const what = `${metric}: ${unfinished} never came, beside ${count} samples`;
    note(samples === 'any' ? `${what}; percentiles of the samples alone are too low` : `${what}; they rank last`);
  }
}
