import type { Command } from 'commander';
import { writeOut } from '../../cli/terminal/output.js';
import { ProblemError, problem } from '../../contract/problems.js';
import { canHold, type Format, firstMetric, formats } from '../../render/exports/formats.js';
import { isComparison, type Kept } from '../../render/exports/kept.js';
import type { Source } from '../../render/exports/source.js';
import { keptIn, readRunOrComparison, readSamples } from '../../results/kept.js';
import type { RunResult } from '../../results/result.js';
import { scenarioOf } from '../../run/catalog.js';

interface Given {
  format: string;
  metric?: string[];
  output?: string;
}

/** `ringside export RESULT_DIR --format FORMAT`: a kept result in a form that other tools read. */
export function define(command: Command): void {
  const names = formats.map(({ name }) => name);
  const list = formats.map(({ name, holds }) => `  ${name.padEnd(14)}${holds.replaceAll('`', '')}`);
  command
    .argument('<directory>', 'directory under results/ that holds a run, or for some formats a comparison')
    .requiredOption('--format <format>', `what to make of it: ${names.join(', ')}`)
    .option(
      '--metric <metric>',
      'whose samples; repeatable where the format takes several; by default all, or the first of the headline',
      (metric: string, before: string[] = []) => [...before, metric],
    )
    .option('--output <file>', 'file to write; stdout without it')
    .addHelpText('after', `\nFormats:\n${list.join('\n')}`)
    .action(async (path: string, given: Given) => {
      const directory = keptIn(path);
      const kept = await readRunOrComparison(directory);
      const format = formats.find(({ name }) => name === given.format);
      const metrics = metricsOf(kept, directory, format, given.metric ?? []);
      const problems = [
        ...(format
          ? []
          : [problem('badOption', `--format: expected one of ${names.join(', ')}, received ${given.format}`)]),
        ...(format && !canHold(format, kept)
          ? [problem('badResult', `${directory} holds a comparison, of which there is no ${format.name}`, runHint)]
          : []),
        ...metrics.problems,
      ];
      if (!format || problems.length > 0) throw new ProblemError(problems);
      tellOfSamples(kept, metrics.names);
      const scenario = scenarioOf(kept.scenario, directory);
      const source = {
        kept,
        scenario,
        metrics: metrics.names,
        samples: (metric: string) => readSamples(directory, kept as RunResult, metric),
      };
      const pieces = format.of === 'run' ? format.write(source as Source<RunResult>) : format.write(source);
      await writeOut(pieces, given.output);
    });
}

const runHint = 'Give the directory of one of its runs, which lie inside it.';

/** Which metrics' samples to write, and what is wrong with those that were asked for. */
function metricsOf(
  kept: Kept,
  directory: string,
  format: Format | undefined,
  asked: readonly string[],
): { names: readonly string[]; problems: ReturnType<typeof problem>[] } {
  const wrong = (message: string) => ({ names: [], problems: [problem('badOption', message)] });
  if (!format || isComparison(kept)) return { names: [], problems: [] };
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
function tellOfSamples(kept: Kept, metrics: readonly string[]): void {
  if (isComparison(kept)) return;
  const coarse = metrics.filter((metric) => kept.samples[metric]?.kind === 'histogram');
  if (coarse.length > 0) process.stderr.write(`kept as a histogram, exact to three digits: ${coarse.join(', ')}\n`);
  for (const metric of metrics) {
    const { count = 0, unfinished = 0 } = kept.metrics[metric] ?? {};
    if (unfinished > 0)
      process.stderr.write(
        `${metric}: its ${count} samples lack ${unfinished} that took longer than was looked on; percentiles out of them are too low\n`,
      );
  }
}
