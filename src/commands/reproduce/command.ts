import { type ExitName, worstOfRuns } from '../../contract/exit-codes.js';
import { ProblemError, problem } from '../../contract/problems.js';
import { resolveOrRefuse } from '../../contract/refusal.js';
import type { Style } from '../../render/words/style.js';
import type { PublishedTable } from '../../results/published.js';
import { refuseUnwritable } from '../../results/store.js';
import type { Given } from '../../run/plan/plan.js';
import type { ShardClient } from '../../run/shards/shard-client.js';
import { oneDocument, plain, type Session } from '../command.js';
import { comparisonExit } from '../compare/compare.js';
import { runtimesHere } from './contenders.js';
import { listPublished, renderPublished } from './list.js';
import { type ReproduceOptions, reproduceOptions } from './options.js';
import { planReproduction, type ReproductionPlan } from './plan.js';
import { renderReproduction, reproductionMarkdown } from './print.js';
import { chosenTables, readPublished } from './published.js';
import { refuseUncarried, reproduce } from './reproduce.js';
import type { Reproduction } from './reproduction.js';

/** `ringside reproduce FIGURE…`: runs the shape of published figures and prints both; or `--list`. */
export const command = plain({
  arguments: [{ form: '[figures...]', help: 'ids of published tables or figures; with --list, words to search' }],
  options: reproduceOptions,
  async run(session, { args: names, ...given }) {
    const options = resolveOrRefuse(reproduceOptions, given);
    oneDocument(options);
    const tables = readPublished(options.publishedDir);
    if (options.isList) {
      const listed = await listPublished(session, tables, names, options, given);
      const text = (style: Style): string => renderPublished(listed, names.length > 0, style);
      session.printResult({ isJson: options.isJson }, { document: listed, text });
      return 'clean';
    }
    if (names.length === 0) {
      const message = 'expected the id of a published figure or table, received none';
      throw new ProblemError([problem('badOption', message, 'Run `ringside reproduce --list` to see them.')]);
    }
    return reproduceAll(session, chosenTables(tables, names), options, given);
  },
});

/** Checks all tables, then runs each on bench-runners of its own. One that fails stops no other. */
async function reproduceAll(
  session: Session,
  tables: readonly PublishedTable[],
  options: ReproduceOptions,
  given: Given,
): Promise<ExitName> {
  const { scale, time } = options;
  const here = await runtimesHere(tables);
  const plans = tables.map((table) => planReproduction(table, { scale, time }, given, here));
  const withShards = <T>(
    some: readonly ReproductionPlan[],
    work: (shards: ShardClient[]) => Promise<T>,
  ): Promise<T> => {
    const targets = some.flatMap(({ contenders }) => contenders.map(({ plan }) => plan.target));
    return session.withShards(options, targets, work);
  };
  await refuseUnwritable({ '--results': options.resultsDir });
  await withShards(plans, (shards) => refuseUncarried(plans, { shards, childDescriptors: session.limits.descriptors }));
  const { interrupt, print } = session;
  const made: Reproduction[] = [];
  const ends: ExitName[] = [];
  for (const planned of plans) {
    if (interrupt.aborted) break;
    const { id } = planned.table;
    const making = session.begin(id, `${id} `);
    const work = withShards([planned], (shards) => reproduce(planned, { ...making.context, shards }));
    try {
      const { reproduction, comparison, directory } = await work.finally(making.end);
      made.push(reproduction);
      ends.push(
        comparisonExit(comparison, planned.scenario, options.isStrict),
        ...(making.isWhole ? [] : (['input'] as const)),
      );
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
