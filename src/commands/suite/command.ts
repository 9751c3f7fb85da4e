import { randomBytes, randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { ExitName } from '../../contract/exit-codes.js';
import { problemError, resolveOrRefuse } from '../../contract/problems.js';
import { rowsOfCells, runCells } from '../../experiment/cells.js';
import { compare, comparisonOf, keepComparison } from '../../experiment/compare.js';
import { type Journal, openJournal } from '../../experiment/journal.js';
import { optionsOf, variablesOf } from '../../options/option.js';
import { markdownText } from '../../render/document/markdown.js';
import { junitText } from '../../render/junit.js';
import { columns } from '../../render/words/table.js';
import type { Comparison } from '../../results/comparison.js';
import { directoryOf, ResultStore, readExperiment, refuseUnwritable } from '../../results/store.js';
import { protocolFilesIn, readProtocols } from '../../run/flow/read-protocols.js';
import type { GivenForRun } from '../../run/plan/plan.js';
import { fleetOptions, formOptions, shardOptions, switchOf, valued } from '../../run/plan/run-options.js';
import type { ShardClient } from '../../run/shards/shard-client.js';
import { duration } from '../../units/unit.js';
import { type CommandGroup, type CommandSession, type MakingContext, oneDocument, plain } from '../command.js';
import { concludeSuite, isLimitedAtMost, type SuiteBook } from './conclude.js';
import {
  askedOfSuite,
  baselineDocuments,
  longestSuiteMs,
  readBaselines,
  readBegun,
  readHeld,
  readNewestBook,
  runCount,
} from './nights.js';
import { type BesideSuite, fingerprintOf, planSuite, type SuitePlan } from './plan.js';
import { suiteDocument } from './print.js';
import { readSuite, type SuiteText } from './read.js';

const { localShards, resultsDir, trustDir, isStrict } = fleetOptions.shape;

/** Options of `suite run`: where it runs and what it is compared with. The file sets what runs. */
export const suiteOptions = z.strictObject({
  ...shardOptions.shape,
  localShards,
  resultsDir,
  trustDir,
  isStrict,
  baselineDir: z
    .string()
    .min(1)
    .optional()
    .meta(valued('baseline', 'directory', 'compare with this kept suite, or the newest one in it')),
  isLimitedAccepted: switchOf('accept-limited', 'exit with 0 instead of 4 if no run is void'),
  ...formOptions.shape,
});

const file = { form: '<file>', help: 'suite file, YAML or JSON' };

const run = plain({
  summary: 'run a suite and print its scoreboards',
  arguments: [file],
  flags: z.strictObject({
    resume: z
      .string()
      .optional()
      .meta(valued('resume', '[directory]', 'continue this suite, or the newest incomplete one')),
  }),
  options: suiteOptions,
  run: (session, { args: [path = ''], own: { resume }, ...given }) => runSuite(session, path, given, resume),
});

const check = plain({
  summary: 'show what a suite would run, and for how long',
  arguments: [file],
  async run(session, { args: [path = ''], env: variables }) {
    const { text, planWith } = await readPlan(path, { flags: {}, env: {}, variables });
    const plan = planWith(text.file.seed ?? 0);
    const rows = plan.entries.map((entry) => [
      entry.name,
      entry.scenario.name,
      String(entry.repeat),
      duration.print(Math.ceil(longestSuiteMs([entry]) / 1000) * 1000),
      entry.plans.map(({ target }) => target.name).join(' '),
    ]);
    const head = ['entry', 'scenario', 'runs of each', 'at most', 'targets'];
    session.printLines(`${columns(head, rows, [0, 1, 4])}\n\n${lengthInWords(plan)}`);
  },
});

const report = plain({
  summary: 'print a kept suite in another form',
  arguments: [{ form: '<directory>', help: 'a kept suite, or a directory with several' }],
  flags: formOptions,
  async run(session, { args: [path = ''], own: asked }) {
    oneDocument(asked);
    const book = await readNewestBook(directoryOf(path));
    await session.printResult(asked, { data: book.suite, document: suiteDocument(book) });
  },
});

/** `ringside suite run FILE`, `suite check FILE` and `suite report DIRECTORY`. */
export const command: CommandGroup = { commands: { run, check, report } };

/** Reads a suite file. `planWith` plans it with a seed. Throws `ProblemError` if it is no suite. */
export async function readPlan(
  path: string,
  given: BesideSuite,
): Promise<{ text: SuiteText; planWith(seed: number): SuitePlan }> {
  const content = await readFile(path, 'utf8').catch((error: Error) => {
    const hint = 'Give a suite file. `ringside schema suite` describes it.';
    throw problemError('badFile', `${path}: ${error.message}`, hint);
  });
  const text = readSuite(path, content);
  await readProtocols(protocolFilesIn(path));
  return { text, planWith: (seed) => planSuite(text, given, seed) };
}

/** Renders the length of a suite: `suite nightly: 7 entries, 87 runs, 27m at most`. */
export function lengthInWords({ name, entries }: SuitePlan, done = 0): string {
  const longest = duration.print(Math.ceil(longestSuiteMs(entries) / 60_000) * 60_000);
  const part = done > 0 ? `, ${done} of them done` : '';
  return `suite ${name}: ${entries.length} entries, ${runCount(entries)} runs${part}, ${longest} at most`;
}

const resumedBaseline = '--baseline: expected none with --resume: a suite resumes with the baseline that it began with';

/** Makes the missing runs of a suite, keeps everything and prints the scoreboards. Resolves with the worst exit. */
async function runSuite(
  session: CommandSession,
  path: string,
  { flags, env: variables }: GivenForRun,
  resume: string | undefined,
): Promise<ExitName> {
  // Other variables must not change what a suite runs.
  const env = Object.fromEntries(
    optionsOf(suiteOptions)
      .flatMap(variablesOf)
      .map((name) => [name, variables[name]]),
  );
  const options = resolveOrRefuse(suiteOptions, { flags, env });
  oneDocument(options);
  const { resultsDir, baselineDir, isLimitedAccepted } = options;
  if (resume !== undefined && baselineDir !== undefined) throw problemError('badOption', resumedBaseline);
  const { text, planWith } = await readPlan(path, { flags, env, variables });
  const begun = resume === undefined ? undefined : await readBegun(text.file.name, resultsDir, resume || undefined);
  const plan = planWith(begun?.kept.seed ?? text.file.seed ?? randomInt(0x1_0000_0000));
  const held = begun
    ? await readHeld(plan.entries, begun.directory)
    : await readBaselines(text, plan.entries, baselineDir);
  await refuseUnwritable(begun ? { '--resume': begun.directory } : { '--results': resultsDir });
  const { context, end, tell, exit } = session.begin(plan.name);
  const name = ['suite', plan.name, randomBytes(4).toString('hex')] as const;
  const place = { resume: begun?.directory, resultsDir, name };
  const journal = await openJournal({ ...place, seed: plan.seed, asked: askedOfSuite(plan) }, context.notKept);
  const { directory } = journal;
  const store = new ResultStore(context.notKept);
  await store.keep(directory, baselineDocuments(held));
  session.note(lengthInWords(plan, journal.kept.runs.length));
  const { withShards, interrupt } = session;
  const comparisons = await makeEntries(plan, journal, { ...context, withShards }).finally(end);
  const made = comparisons.map((comparison, index) => {
    const entry = plan.entries[index]!;
    return { entry, comparison, held: held.get(entry.name) };
  });
  const { startedAt } = journal.kept;
  const span = { startedAt, endedAt: new Date().toISOString(), isInterrupted: interrupt.aborted };
  const book: SuiteBook = {
    suite: { ...concludeSuite(plan, made, span), journal: journal.kept },
    boards: made.map(({ entry, comparison }) => ({ name: entry.name, scenario: entry.scenario, comparison })),
  };
  const document = suiteDocument(book);
  await store.keep(directory, { 'suite.md': markdownText(document), 'suite.junit.xml': junitText(document) });
  // The result comes last: if it exists, all others exist too.
  await journal.keep(book.suite);
  await session.printResult(options, { data: book.suite, document, isBrief: true });
  tell(directory);
  if (!book.suite.isComplete) session.note(`continue with: ringside suite run ${path} --resume ${directory}`);
  return exit(isLimitedAccepted && isLimitedAtMost(book.suite) ? 'clean' : book.suite.exit);
}

/** Gives a suite its shards and takes its progress. */
export type SuiteContext = MakingContext & Pick<CommandSession, 'withShards'>;

/** Makes the missing runs of a suite, entry by entry, and keeps each scoreboard. An entry that fails stops no other. */
export async function makeEntries(plan: SuitePlan, journal: Journal, context: SuiteContext): Promise<Comparison[]> {
  const comparisons: Comparison[] = [];
  let number = journal.kept.runs.length;
  let total = runCount(plan.entries);
  for (const { name: entry, plans, repeat, scenario, pairs } of plan.entries) {
    const directory = join(journal.directory, entry);
    const kept = pairs && (await readExperiment(directory));
    const isDone = kept?.kind === 'comparison' && kept.paired && kept.paired.ended !== 'interrupted';
    let paired: Comparison | undefined = isDone ? kept : undefined;
    const inPairs = async (shards: ShardClient[]): Promise<void> => {
      const asked = plans.map((each) => ({ plan: each, label: each.target.name }));
      const place = kept?.journal ? { resume: directory } : { directory };
      const { design, ratios } = pairs!;
      paired = (await compare(asked, design, { ...context, shards }, { ...place, ratios })).comparison;
    };
    const cells = plans.map((each) => ({ plan: each, label: `${entry} ${each.target.name}` }));
    const rows = (await rowsOfCells(cells)).map((row, place) => ({ ...row, target: plans[place]!.target.name }));
    // By round, A B C A B C, so that slow drift affects all alike.
    const order = Array.from({ length: repeat }, () => [...cells.keys()]);
    const isGone = (place: number, round: number): boolean =>
      rows[place]?.state !== 'ran' && !journal.done(cells[place]!.label, round);
    total -= order.flatMap((places, round) => places.filter((place) => isGone(place, round))).length;
    const targets = plans.map(({ target }) => target);
    if (!paired)
      await runCells(
        rows,
        cells,
        journal,
        { order, directory, withShards: (work) => context.withShards(plans[0].fleet, targets, pairs ? inPairs : work) },
        { ...context, begins: (label) => context.begins(label, ++number, total) },
      );
    if (paired) {
      number += order.length * rows.length;
      comparisons.push(paired);
      continue;
    }
    const [startedAt = journal.kept.startedAt] = rows
      .flatMap(({ runs }) => runs.map(({ result }) => result.startedAt))
      .sort();
    const facts = { fingerprint: fingerprintOf({ plans, ...(pairs && { pairs }) }), forced: '', repeat, startedAt };
    const comparison = comparisonOf(scenario, rows, false, facts);
    await keepComparison(directory, comparison, context);
    comparisons.push(comparison);
  }
  return comparisons;
}
