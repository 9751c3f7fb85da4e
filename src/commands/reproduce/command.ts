import { type ExitName, worstOfRuns } from '../../contract/exit-codes.js';
import { ProblemError, problem } from '../../contract/problems.js';
import { resolveOrRefuse } from '../../contract/refusal.js';
import { refuseUnwritable } from '../../results/keep.js';
import type { PublishedTable } from '../../results/published.js';
import type { Given } from '../../run/plan/plan.js';
import type { FleetOptions } from '../../run/plan/run-options.js';
import type { PlannedTarget } from '../../run/target/planned-target.js';
import { type Making, oneDocument, plain, type Session } from '../command.js';
import { comparisonExit } from '../compare/compare.js';
import { type ReproduceOptions, reproduceOptions } from './options.js';
import { planReproduction, type ReproductionPlan } from './plan.js';
import { reproductionMarkdown } from './print/markdown.js';
import { renderReproduction } from './print/reproduction.js';
import { chosenTables, readPublished } from './published.js';
import { listPublished } from './published-list.js';
import { type PlanAt, refuseUncarried, reproduce } from './reproduce.js';
import type { Reproduction } from './reproduction.js';

/** `ringside reproduce FIGURE…`: the shape of published figures as far as this machine carries it, published beside measured; or `--list`. */
export const command = plain({
  arguments: [
    { form: '[figures...]', help: 'ids of published tables or figures; with --list, words that a table must hold' },
  ],
  options: reproduceOptions,
  async run(session, { args: names, ...given }) {
    const options = resolveOrRefuse(reproduceOptions, given);
    oneDocument(options);
    const tables = readPublished(options.publishedDir);
    if (options.isList) {
      const known = { tables, commands: session.commandNames, limits: session.limits, style: session.style };
      const text = await listPublished(known, names, options, given);
      if (options.isJson) session.print(`${text}\n`);
      else session.printLines(text);
      return 'clean';
    }
    if (names.length === 0) {
      const example = 'Run `ringside reproduce --list` to see them.';
      throw new ProblemError([
        problem('badOption', 'expected the id of a published figure or table, received nothing', example),
      ]);
    }
    return reproduceAll(session, chosenTables(tables, names), options, given);
  },
});

/**
 * One after another, each on bench-runners of its own: what can't be planned, or is more than the machine carries, is told before anything is run. What is
 * found wrong with a table only then is told as well, and costs none of the others.
 */
async function reproduceAll(
  session: Session,
  tables: readonly PublishedTable[],
  options: ReproduceOptions,
  given: Given,
): Promise<ExitName> {
  const planAt: PlanAt = (table, scale) => planReproduction(table, scale, given);
  const plans = tables.map((table) => planAt(table, options.scale));
  await refuseUnwritable({ '--results': fleetOf(plans).resultsDir });
  await session.withShards(fleetOf(plans), targetsOf(plans), (shards) =>
    refuseUncarried(plans, planAt, { shards, childDescriptors: session.limits.descriptors }),
  );
  const { interrupt, print } = session;
  const made: Reproduction[] = [];
  const ends: ExitName[] = [];
  for (const planned of plans) {
    if (interrupt.aborted) break;
    const { id } = planned.table;
    const making = session.begin(id, `${id} `);
    try {
      const { reproduction, comparison, directory } = await reproduceOne(session, planned, planAt, making);
      made.push(reproduction);
      ends.push(comparisonExit(comparison, planned.scenario), ...(making.isWhole ? [] : (['input'] as const)));
      if (!options.isJson && made.length > 1) print('\n');
      if (options.isMarkdown) print(`${reproductionMarkdown(reproduction)}\n`);
      else if (!options.isJson) session.printLines(renderReproduction(reproduction, session.style));
      making.tell(directory);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      session.warn(error);
      ends.push('input');
    }
  }
  if (options.isJson) print(`${JSON.stringify({ reproductions: made }, null, 2)}\n`);
  return interrupt.aborted ? 'interrupted' : worstOfRuns(ends);
}

function reproduceOne(
  session: Session,
  planned: ReproductionPlan,
  planAt: PlanAt,
  { context, end }: Making,
): ReturnType<typeof reproduce> {
  return session
    .withShards(fleetOf([planned]), targetsOf([planned]), (shards) =>
      reproduce(planned, planAt, { ...context, shards }),
    )
    .finally(end);
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
