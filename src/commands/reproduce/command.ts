import type { Command } from 'commander';
import { contextOf } from '../../cli/context.js';
import { tellProblems } from '../../cli/fail.js';
import { withFleet } from '../../cli/fleet.js';
import { Keeping } from '../../cli/keeping.js';
import { addFlags } from '../../cli/options/flags.js';
import { gather } from '../../cli/options/given.js';
import { interruptSignal } from '../../cli/signals.js';
import { oneDocument, print, printLines } from '../../cli/terminal/output.js';
import { Progress } from '../../cli/terminal/progress.js';
import { terminalStyle } from '../../cli/terminal/style.js';
import { type ExitName, exitCodes, worstOfRuns } from '../../contract/exit-codes.js';
import { ProblemError, problem } from '../../contract/problems.js';
import { resolveOrRefuse } from '../../contract/refusal.js';
import { refuseUnwritable } from '../../results/keep.js';
import type { PublishedTable } from '../../results/published.js';
import type { Given } from '../../run/plan/plan.js';
import type { FleetOptions } from '../../run/plan/run-options.js';
import type { PlannedTarget } from '../../run/target/planned-target.js';
import { descriptorLimit } from '../../runner/shard-self.js';
import { comparisonExit } from '../compare/compare.js';
import { listPublished } from './list.js';
import { type ReproduceOptions, reproduceOptions } from './options.js';
import { planReproduction, type ReproductionPlan } from './plan.js';
import { reproductionMarkdown } from './print/markdown.js';
import { renderReproduction } from './print/terminal.js';
import { chosenTables, readPublished } from './published.js';
import { type PlanAt, refuseUncarried, reproduce } from './reproduce.js';
import type { Reproduction } from './reproduction.js';

/** `ringside reproduce FIGURE…`: runs the shape of published figures and prints both; or `--list`. */
export function define(command: Command): void {
  command.argument('[figures...]', 'ids of published tables or figures; with --list, words to search');
  addFlags(command, reproduceOptions);
  command.action(async (names: string[]) => {
    const given = gather(command, reproduceOptions);
    const options = resolveOrRefuse(reproduceOptions, given);
    oneDocument(options);
    const tables = readPublished(options.publishedDir);
    if (options.isList) {
      const commands = command.parent?.commands.map((each) => each.name()) ?? [];
      const text = await listPublished({ tables, commands }, names, options, given);
      if (options.isJson) print(`${text}\n`);
      else printLines(text);
      return;
    }
    if (names.length === 0) {
      const example = 'Run `ringside reproduce --list` to see them.';
      throw new ProblemError([
        problem('badOption', 'expected the id of a published figure or table, received none', example),
      ]);
    }
    await reproduceAll(chosenTables(tables, names), options, given);
  });
}

/** Checks all tables, then runs each on bench-runners of its own. One that fails stops no other. */
async function reproduceAll(tables: readonly PublishedTable[], options: ReproduceOptions, given: Given): Promise<void> {
  const planAt: PlanAt = (table, scale) => planReproduction(table, scale, given);
  const plans = tables.map((table) => planAt(table, options.scale));
  await refuseUnwritable({ '--results': fleetOf(plans).resultsDir });
  await withFleet(fleetOf(plans), targetsOf(plans), (shards) =>
    refuseUncarried(plans, planAt, { shards, childDescriptors: descriptorLimit() }),
  );
  const interrupt = interruptSignal(exitCodes.interrupted.code);
  const made: Reproduction[] = [];
  const ends: ExitName[] = [];
  for (const planned of plans) {
    if (interrupt.aborted) break;
    const kept = new Keeping();
    try {
      const { reproduction, comparison, directory } = await reproduceOne(planned, planAt, interrupt, kept);
      made.push(reproduction);
      ends.push(comparisonExit(comparison, planned.scenario), ...(kept.isWhole ? [] : (['input'] as const)));
      if (!options.isJson && made.length > 1) print('\n');
      if (options.isMarkdown) print(`${reproductionMarkdown(reproduction)}\n`);
      else if (!options.isJson) printLines(renderReproduction(reproduction, terminalStyle()));
      kept.tell(directory);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      tellProblems(error);
      ends.push('input');
    }
  }
  if (options.isJson) print(`${JSON.stringify({ reproductions: made }, null, 2)}\n`);
  process.exitCode = exitCodes[interrupt.aborted ? 'interrupted' : worstOfRuns(ends)].code;
}

async function reproduceOne(
  planned: ReproductionPlan,
  planAt: PlanAt,
  interrupt: AbortSignal,
  kept: Keeping,
): ReturnType<typeof reproduce> {
  const { id } = planned.table;
  const progress = new Progress(id);
  return withFleet(fleetOf([planned]), targetsOf([planned]), (shards) =>
    reproduce(planned, planAt, { ...contextOf(progress, interrupt, kept, `${id} `), shards }),
  ).finally(() => progress.end());
}

/** All plans of a call have the same fleet. */
function fleetOf([planned]: readonly ReproductionPlan[]): FleetOptions {
  const [first] = planned?.plans ?? [];
  if (!first) throw new Error('a reproduction has at least one target');
  return first.fleet;
}

function targetsOf(all: readonly ReproductionPlan[]): PlannedTarget[] {
  return all.flatMap(({ plans }) => plans.map(({ target }) => target));
}
