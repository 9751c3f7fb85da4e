import { z } from 'zod';
import { type Reproduction, reproduction } from '../../../src/results/reproduction.js';
import { jsonIn } from '../../../src/units/text.js';
import { CliProcess } from '../../bench-rig/processes/cli-process.js';
import type { AnswerContext } from '../bench.js';
import { compared } from './compared.js';

/** Maps each server to the p50 of each complete single run. All have the same unit. */
export type SingleRuns = ReadonlyMap<string, readonly number[]>;

/** Names the published table whose load the single runs use: 10,000 subscribers, two broadcasts a second. */
const table = { name: 'bench-latency-10k', subscribers: 10_000 };
const rate = '2/s';
/** A p50 needs ten broadcasts. */
const broadcasts = 20;
const timeShare = '0.2';
const metric = 'delivery.p50';
/** Describes the output of `ringside reproduce --json`. */
const printed = z.object({ reproductions: z.array(reproduction) });
/** Runs that hang are ended after this time. */
const endAfterMs = 1_800_000;

/** Makes whole runs of these servers, one after the other. */
export async function wholeRuns(
  servers: readonly string[],
  subscribers: number,
  repeat: number,
  context: AnswerContext,
): Promise<SingleRuns> {
  const load = ['--subscribers', `${subscribers}`, '--rate', rate, '--broadcasts', `${broadcasts}`];
  const targets = servers.flatMap((server) => ['--target', server]);
  const flags = ['--design', 'runs', '--repeat', `${repeat}`, ...load, ...targets];
  const { rows } = await compared(['compare', 'latency', ...flags], context, endAfterMs);
  return new Map(
    rows.map(({ target, runs }) => [target, runs.flatMap(({ result }) => result.metrics.delivery?.p50 ?? [])]),
  );
}

/** Makes single runs of the servers at that size with `ringside reproduce`. */
export async function reproducedRuns(subscribers: number, { signal, directory }: AnswerContext): Promise<SingleRuns> {
  const shape = ['--scale', `${subscribers / table.subscribers}`, '--time', timeShare, '--repeat', '1'];
  const args = ['reproduce', table.name, ...shape, '--json', '--results', directory];
  const { stdout } = await new CliProcess(args, signal, endAfterMs).ended;
  signal.throwIfAborted();
  const read = printed.safeParse(jsonIn(stdout));
  const [first] = read.success ? read.data.reproductions : [];
  return first ? p50sIn(first) : new Map();
}

/** Returns the measured p50 of each contender. */
export function p50sIn({ table: { figures }, rows }: Pick<Reproduction, 'table' | 'rows'>): SingleRuns {
  const of = figures.filter((figure) => figure.metric === metric);
  return new Map(
    of.map(({ id, target }) => [target, rows.flatMap((row) => (row.figure === id && row.measured?.median) || [])]),
  );
}
