import type { Command } from 'commander';
import { type ExitName, exitCodes, worstExit } from '../contract/exit-codes.js';
import { ProblemError, problem } from '../contract/problems.js';
import type { PublishedTable } from '../contract/published.js';
import type { Reproduction } from '../contract/reproduction.js';
import { exitOf } from '../driver/assess.js';
import type { Given } from '../driver/plan.js';
import { type ReproduceOptions, reproduceOptions } from '../driver/reproduce/options.js';
import { planReproduction } from '../driver/reproduce/plan.js';
import { chosenTables, readPublished } from '../driver/reproduce/published.js';
import { reproduce } from '../driver/reproduce/reproduce.js';
import { resolveOptions } from '../options/resolve.js';
import { reproductionMarkdown } from '../report/reproduce/markdown.js';
import { renderReproduction } from '../report/reproduce/reproduction.js';
import { descriptorLimit } from '../runner/shard-self.js';
import { addFlags } from './flags.js';
import { withFleet } from './fleet.js';
import { gather } from './given.js';
import { oneDocument, print, printLines } from './output.js';
import { Progress } from './progress.js';
import { listPublished } from './published-list.js';
import { interruptSignal } from './signals.js';
import { terminalStyle } from './style.js';

/** `ringside reproduce FIGURE…`: the shape of published figures as far as this machine carries it, published beside measured; or `--list`. */
export function define(command: Command): void {
  command.argument('[figures...]', 'ids of published tables or figures; with --list, words that a table must hold');
  addFlags(command, reproduceOptions);
  command.action(async (names: string[]) => {
    const given = gather(command, reproduceOptions);
    const options = resolve(given);
    oneDocument(options);
    const tables = readPublished(options.publishedDir);
    if (options.isList) {
      const text = await listPublished(tables, names, options, given);
      if (options.isJson) print(`${text}\n`);
      else printLines(text);
      return;
    }
    if (names.length === 0) {
      const example = 'Run `ringside reproduce --list` to see them.';
      throw new ProblemError([
        problem('badOption', 'expected the id of a published figure or table, received nothing', example),
      ]);
    }
    await reproduceAll(chosenTables(tables, names), options, given);
  });
}

function resolve(given: Given): ReproduceOptions {
  const resolved = resolveOptions(reproduceOptions, given);
  if (resolved.ok) return resolved.values;
  throw new ProblemError(
    resolved.issues.map(({ option, expected, received }) =>
      problem('badOption', `${option}: expected ${expected}, received ${received}`),
    ),
  );
}

/** One after another, each on bench-runners of its own: what can't be planned is told before anything is run. */
async function reproduceAll(tables: readonly PublishedTable[], options: ReproduceOptions, given: Given): Promise<void> {
  const plans = tables.map((table) => planReproduction(table, options.scale, given));
  const interrupt = interruptSignal(exitCodes.interrupted.code);
  const made: Reproduction[] = [];
  const ends: ExitName[] = [];
  for (const planned of plans) {
    if (interrupt.aborted) break;
    let progress = new Progress(planned.table.id);
    const [first] = planned.plans;
    if (!first) throw new Error('a reproduction has at least one target');
    const targets = planned.plans.map(({ target }) => target);
    const { reproduction, comparison, directory } = await withFleet(first.fleet, targets, (shards) =>
      reproduce(planned, (scale) => planReproduction(planned.table, scale, given), {
        shards,
        childDescriptors: descriptorLimit(),
        interrupt,
        progress: (view) => progress.show(view),
        begins: (label, number, of) => {
          progress = new Progress(`${planned.table.id} ${number}/${of} ${label}`);
        },
        finished: () => progress.end(),
      }),
    ).finally(() => progress.end());
    made.push(reproduction);
    const runs = comparison.rows.flatMap((row) => row.runs);
    ends.push(...runs.map(({ result }) => exitOf(result, planned.scenario)));
    if (runs.length === 0 || comparison.rows.some(({ state }) => state === 'failed')) ends.push('input');
    if (!options.isJson && made.length > 1) print('\n');
    if (options.isMarkdown) print(`${reproductionMarkdown(reproduction)}\n`);
    else if (!options.isJson) printLines(renderReproduction(reproduction, terminalStyle()));
    process.stderr.write(`kept in ${directory}\n`);
  }
  if (options.isJson) print(`${JSON.stringify({ reproductions: made }, null, 2)}\n`);
  process.exitCode = exitCodes[interrupt.aborted ? 'interrupted' : worstExit(ends)].code;
}
