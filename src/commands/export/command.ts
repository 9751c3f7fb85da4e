import { z } from 'zod';
import { ProblemError, problem } from '../../contract/problems.js';
import { canHold, type Format, firstMetric, formats } from '../../render/exports/formats.js';
import { isComparison, type Kept } from '../../render/exports/kept.js';
import type { Source } from '../../render/exports/source.js';
import { keptIn, readRunOrComparison, readSamples } from '../../results/kept.js';
import type { RunResult } from '../../results/result.js';
import { scenarioOf } from '../../run/catalog.js';
import { plain, type Session } from '../command.js';

const names = formats.map(({ name }) => name);

/** `ringside export RESULT_DIR --format FORMAT`: a kept result in a format that other tools read. */
export const command = plain({
  arguments: [{ form: '<directory>', help: 'directory of a kept run, or for some formats of a comparison' }],
  flags: z.strictObject({
    format: z.enum(names).meta({
      flag: 'format',
      placeholder: 'format',
      help: `output format: ${names.join(', ')}`,
    }),
    metrics: z.array(z.string()).default([]).meta({
      flag: 'metric',
      placeholder: 'metric',
      help: 'metric to export samples of; repeatable for some formats',
    }),
    output: z
      .string()
      .optional()
      .meta({ flag: 'output', placeholder: 'file', help: 'file to write; stdout by default' }),
  }),
  notes: `\nFormats:\n${formats.map(({ name, holds }) => `  ${name.padEnd(14)}${holds.replaceAll('`', '')}`).join('\n')}`,
  async run(session, { args: [path = ''], own: { format: name, metrics: asked, output } }) {
    const directory = keptIn(path);
    const kept = await readRunOrComparison(directory);
    const format = formats.find((each) => each.name === name) as Format;
    const metrics = metricsOf(kept, directory, format, asked);
    const problems = [
      ...(canHold(format, kept)
        ? []
        : [problem('badResult', `${directory} holds a comparison, of which there is no ${name}`, runHint)]),
      ...metrics.problems,
    ];
    if (problems.length > 0) throw new ProblemError(problems);
    noteSamples(session, kept, metrics.names);
    const source = {
      kept,
      scenario: scenarioOf(kept.scenario, directory),
      metrics: metrics.names,
      samples: (metric: string) => readSamples(directory, kept as RunResult, metric),
    };
    await session.write(format.of === 'run' ? format.write(source as Source<RunResult>) : format.write(source), output);
  },
});

const runHint = 'Give the directory of one of its runs, which lie inside it.';

/** Which metrics' samples to write, and what is wrong with those that were asked for. */
function metricsOf(
  kept: Kept,
  directory: string,
  format: Format,
  asked: readonly string[],
): { names: readonly string[]; problems: ReturnType<typeof problem>[] } {
  const wrong = (message: string) => ({ names: [], problems: [problem('badOption', message)] });
  if (isComparison(kept)) return { names: [], problems: [] };
  if (format.samples === 'none') {
    if (asked.length === 0) return { names: [], problems: [] };
    return wrong(`--metric: expected none, as ${format.name} holds no samples, received ${asked.join(', ')}`);
  }
  const known = Object.keys(kept.samples);
  const unknown = asked.filter((metric) => !known.includes(metric));
  if (unknown.length > 0)
    return wrong(
      `--metric: expected one of ${known.join(', ')}, of which ${directory} keeps samples, received ${unknown.join(', ')}`,
    );
  if (format.samples === 'any') return { names: asked.length > 0 ? asked : known, problems: [] };
  if (asked.length > 1)
    return wrong(`--metric: expected one, as ${format.name} holds one, received ${asked.join(', ')}`);
  const filled = known.filter((metric) => (kept.samples[metric]?.count ?? 0) > 0);
  const some = filled.length > 0 ? `one of ${filled.join(', ')}` : 'one that has samples, of which there is none';
  const metric = asked[0] ?? firstMetric(kept, scenarioOf(kept.scenario, directory));
  if (metric === undefined)
    return wrong(`--metric: expected ${some}: no metric of the headline has samples in ${directory}`);
  if (filled.includes(metric)) return { names: [metric], problems: [] };
  return wrong(`--metric: expected ${some}, received ${metric}, which has no samples in ${directory}`);
}

/** What samples do not say of themselves: those of a histogram are known to three digits, and what never ended has none. */
function noteSamples(session: Session, kept: Kept, metrics: readonly string[]): void {
  if (isComparison(kept)) return;
  const coarse = metrics.filter((metric) => kept.samples[metric]?.kind === 'histogram');
  if (coarse.length > 0) session.note(`kept as a histogram, exact to three digits: ${coarse.join(', ')}`);
  for (const metric of metrics) {
    const { count = 0, unfinished = 0 } = kept.metrics[metric] ?? {};
    if (unfinished > 0)
      session.note(
        `${metric}: ${unfinished} deliveries never ended and are not among the ${count} samples; percentiles computed from them are too low`,
      );
  }
}
