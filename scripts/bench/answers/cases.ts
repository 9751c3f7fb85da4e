import { readFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { z } from 'zod';
import { type Reproduction, reproduction } from '../../../src/results/published.js';
import { packageFile } from '../../../src/units/package-files.js';
import { countText, jsonIn, shareOf } from '../../../src/units/text.js';
import { type BenchContext, type Bound, type Finding, repeated } from '../judge.js';
import { ringside } from '../processes/program.js';
import {
  audiences,
  type KnownCase,
  type MetronomeCase,
  type SimulatedCase,
  servers,
  simulatedCases,
} from './case-list.js';
import { drawRounds, medianUs, randomOf } from './model.js';
import {
  type Compared,
  compared,
  equalWithin,
  play,
  ratioByRecord,
  ratioByRuns,
  saidBy,
  startsPlanned,
  usualUs,
} from './product.js';
import { recordedRounds, withMetronomes, withOwnServers } from './servers.js';
import { bounds, type CaseRow, type CountName, judgedIn, type Repeat, type Truth, tally } from './tally.js';

/** Maps what the cases of a measurement count to a bound. Each bound must hold in all cases. */
export type CaseBounds = Partial<Record<CountName, Bound>>;

/** Returns the bounds of the cases of one measurement. */
export function caseBounds(name: string, counted: readonly CountName[]): CaseBounds {
  return Object.fromEntries(
    counted.map((each) => {
      const { title, atMost } = bounds[each];
      const what = `${name}: cases with more than ${Number((atMost * 100).toFixed(2))} % ${title}`;
      return [each, { what, atMost: 0, print: String }];
    }),
  );
}

/** Shows the rows of each case. Returns for each bound the number and the names of the cases that break it. */
async function judgedRows<C>(
  of: CaseBounds,
  cases: readonly C[],
  context: BenchContext,
  rowsOf: (each: C) => Promise<readonly CaseRow[]>,
): Promise<Finding[]> {
  const all: CaseRow[] = [];
  for (const each of cases) {
    for (const row of await rowsOf(each)) {
      context.row(row);
      all.push(row);
    }
  }
  return Object.entries(of).map(([name, bound]) => {
    const broken = all.filter((row) => judgedIn(row, name as CountName) === 'broken');
    const found = broken.map((row) => {
      const { wrong, of: total, pair } = row.counts[name as CountName];
      return `${row.name} (${shareOf(wrong, total)}${pair ? `, ${pair}` : ''})`;
    });
    return { bound, value: broken.length, detail: [`of ${all.length}`, ...found].join('; ') };
  });
}

function expectedOf({ name, told = [], isToldPromised = false, undecided = [] }: KnownCase) {
  return { name, equalWithin, told, isToldPromised, undecided: ['chance', 'control', ...undecided] as const };
}

/** Plays comparisons many times with the product's own rules. Their truth is known exactly. */
export function simulation(of: CaseBounds, context: BenchContext): Promise<Finding[]> {
  return judgedRows(of, simulatedCases, context, async (one) => [await simulated(one, context)]);
}

/** Plays one case. The control is a twin of its first target. */
async function simulated(one: SimulatedCase, context: BenchContext): Promise<CaseRow> {
  const { targets, rounds, starts: planned = startsPlanned } = one;
  const models = [...Object.values(targets), Object.values(targets)[0]!];
  const sides = Object.keys(targets).map((target) => ({ target, twinOf: null as string | null }));
  const twin = { target: 'twin', twinOf: sides[0]!.target };
  const random = randomOf(1);
  const truth = truthIn(targets, rounds);
  const repeats = await repeated(context, { full: 1000, quick: 50 }, async () => {
    // Between two comparisons, this handles a signal of the user.
    await turn();
    context.signal.throwIfAborted();
    const start = () => models.map((model) => drawRounds(model, rounds, random));
    return { answer: play({ planned, targets: [...sides, twin], start }), truth };
  });
  return tally(expectedOf(one), 'simulated', repeats);
}

/** Two medians within this difference of logarithms are equal, except for rounding errors. */
const sameLog = 1e-6;

/** Returns the ratio of the medians of all rounds that the targets can have. */
export function truthIn(targets: SimulatedCase['targets'], rounds: number): Repeat['truth'] {
  const usual = new Map(Object.entries(targets).map(([target, model]) => [target, medianUs(model, rounds)]));
  return (a, b): Truth => {
    const ratio = usual.get(a)! / usual.get(b)!;
    return { low: ratio, high: ratio, isEqual: Math.abs(Math.log(ratio)) < sameLog };
  };
}

const times = { full: 20, quick: 1 };
/** A comparison that hangs is ended after this time. */
const endAfterMs = 1_800_000;
/** Allows for the time to a metronome and back, and for both wake-ups, on a busy machine with two cores. */
const wayUs = 2000;
const quickSize = ['--starts', '3', '--rounds', '12'];

/** The first command of a new user has this long. */
const firstWithinMs = 120_000;
const defaultOrder = ['uws', 'ws', 'socketio'];

/** Checks that the first command of a new user answers in time and correctly. The other servers can be in any order. */
export function defaultComparison(of: CaseBounds, context: BenchContext): Promise<Finding[]> {
  const { scripts } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as {
    scripts: { bench: string };
  };
  const told = defaultOrder.flatMap((fast, at) => defaultOrder.slice(at + 1).map((slow) => [slow, fast] as const));
  const truth = (a: string, b: string): Truth => {
    const isKnown = (slow: string, fast: string) => told.some((pair) => pair[0] === slow && pair[1] === fast);
    const [low, high] = [isKnown(a, b) ? 1.001 : 0, isKnown(b, a) ? 0.999 : Number.POSITIVE_INFINITY];
    return { low, high, isEqual: false };
  };
  const name = `npm run bench: ${defaultOrder.join(', ')}`;
  return judgedRows(of, [expectedOf({ name, told, isToldPromised: true })], context, async (expected) => {
    const repeats = await repeated(context, { full: 10, quick: 1 }, async (): Promise<Repeat> => {
      const end = await compared(scripts.bench.split(' ').slice(2), context, endAfterMs);
      const said = end.exitCode === 0 ? saidBy(end) : { answer: undefined, lack: 'no answer' as const };
      return { ...said, isLate: end.elapsedMs > firstWithinMs, truth };
    });
    return [tally(expected, 'measured', repeats)];
  });
}

/** Compares two processes of one server, fresh in every start. There is no difference to find. */
export function againstItself(of: CaseBounds, context: BenchContext): Promise<Finding[]> {
  const size = context.isQuick ? [...quickSize, '--slot', '40ms'] : [];
  const expected = expectedOf({ name: 'a server against itself', undecided: ['rig', 'neighbours', 'levels', 'trend'] });
  return judgedRows(of, [expected], context, async () => {
    const repeats = await repeated(context, times, () =>
      withOwnServers('uws', ['one', 'other'], async (file): Promise<Repeat> => {
        const args = ['compare', 'latency', '--target-file', file, '--clients', '100', ...size];
        const end = await compared(args, context, endAfterMs);
        return { ...saidBy(end), truth: () => ({ low: 1, high: 1, isEqual: true }) };
      }),
    );
    return [tally(expected, 'measured', repeats)];
  });
}

/** Compares metronomes, whose record is the truth. */
export function measuredCases(
  cases: readonly MetronomeCase[],
  of: CaseBounds,
  context: BenchContext,
): Promise<Finding[]> {
  return judgedRows(of, cases, context, async (one) => {
    const repeats = await repeated(context, times, (repeat) => measure(one, repeat + 1, context));
    return [tally(expectedOf(one), 'measured', repeats)];
  });
}

function measure(one: MetronomeCase, repeat: number, context: BenchContext): Promise<Repeat> {
  const labels = Object.keys(one.targets);
  const orders = Object.fromEntries(
    labels.map((label, place) => [label, { ...one.targets[label], seed: repeat * labels.length + place }]),
  );
  return withMetronomes(orders, async (file, metronomes) => {
    const args = ['compare', 'latency', '--target-file', file, ...(context.isQuick ? one.quick : one.flags)];
    const end = await compared(args, context, endAfterMs);
    const rounds = await recordedRounds(metronomes, end.rows);
    const recordedUs = Object.fromEntries(labels.map((label, place) => [label, usualUs(rounds[place]!)]));
    context.say(`  by the record: ${JSON.stringify(recordedUs)} us`);
    const usual = (label: string): number => (one.usualMs ? one.usualMs[label]! * 1000 : recordedUs[label]!);
    return {
      ...saidBy(end),
      ...(one.endsWithinMs !== undefined && { isLate: end.elapsedMs > one.endsWithinMs }),
      truth: (a, b) => ({
        ...ratioByRecord(usual(a), usual(b), wayUs),
        isEqual: JSON.stringify(one.targets[a]) === JSON.stringify(one.targets[b]),
      }),
    };
  });
}

/** On a shared machine, the next single run of a server can take longer by this factor. */
const slack = 1.25;
const kinds = ['whole runs', 'reproduce'] as const;

/**
 * Compares the same servers in every size. A comparison in turns must give the same answer as whole runs one after the
 * other, and as `ringside reproduce`. Quick mode uses only the small sizes.
 */
export function subscriberCases(of: CaseBounds, context: BenchContext): Promise<Finding[]> {
  const sizes = audiences.slice(0, context.isQuick ? 2 : undefined);
  return judgedRows(of, sizes, context, (clients) => rowsOfSize(clients, context));
}

async function rowsOfSize(clients: number, context: BenchContext): Promise<CaseRow[]> {
  const targets = servers.flatMap((server) => ['--target', server]);
  const size = context.isQuick ? quickSize : [];
  const args = ['compare', 'latency', '--clients', `${clients}`, ...size, ...targets];
  const repeats = await repeated(context, times, async () => {
    const end = await compared(args, context, endAfterMs);
    const single = [await wholeRuns(clients, context), await reproducedRuns(clients, context)];
    context.say(`  p50 by ${kinds.join(' and ')}: ${JSON.stringify(single.map((each) => Object.fromEntries(each)))}`);
    return single.map((each) => besideRuns(end, each));
  });
  return kinds.map((kind, place) => {
    const name = `${servers.join(', ')}: ${countText(clients)} subscribers, beside ${kind}`;
    const ofKind = repeats.map((each) => each[place]!);
    return tally(expectedOf({ name, undecided: ['rig', 'neighbours'] }), 'measured', ofKind);
  });
}

/** Compares a comparison with single runs. Without a run of every server there is no truth to compare with. */
function besideRuns(end: Compared, single: SingleRuns): Repeat {
  const isWhole = servers.every((server) => (single.get(server)?.length ?? 0) > 0);
  return {
    ...(isWhole ? saidBy(end) : { answer: undefined, lack: 'no answer' as const }),
    truth: (a, b) => ({ ...ratioByRuns(single.get(a) ?? [], single.get(b) ?? [], slack), isEqual: false }),
  };
}

/** Maps each server to the p50 of each complete single run. All have the same unit. */
type SingleRuns = ReadonlyMap<string, readonly number[]>;

/** Names the published table whose load the single runs use: 10,000 subscribers, two broadcasts a second. */
const published = { name: 'bench-latency-10k', subscribers: 10_000 };
/** A p50 needs ten broadcasts. */
const rate = ['--rate', '2/s', '--broadcasts', '20'];
/** Describes the output of `ringside reproduce --json`. */
const printed = z.object({ reproductions: z.array(reproduction) });

async function wholeRuns(subscribers: number, context: BenchContext): Promise<SingleRuns> {
  const targets = servers.flatMap((server) => ['--target', server]);
  const load = ['--clients', `${subscribers}`, ...rate, ...targets];
  const args = ['compare', 'latency', '--design', 'runs', '--repeat', context.isQuick ? '1' : '3', ...load];
  const { rows } = await compared(args, context, endAfterMs);
  return new Map(
    rows.map(({ target, runs }) => [target, runs.flatMap(({ result }) => result.metrics.delivery?.p50 ?? [])]),
  );
}

async function reproducedRuns(subscribers: number, { signal, directory }: BenchContext): Promise<SingleRuns> {
  const shape = ['--scale', `${subscribers / published.subscribers}`, '--time', '0.2', '--repeat', '1'];
  const args = ['reproduce', published.name, ...shape, '--json', '--results', directory];
  const { stdout } = await ringside(args, signal, endAfterMs).ended;
  signal.throwIfAborted();
  const read = printed.safeParse(jsonIn(stdout));
  const [first] = read.success ? read.data.reproductions : [];
  return first ? p50sIn(first) : new Map();
}

/** Returns the measured p50 of each contender. */
export function p50sIn({ table: { figures }, rows }: Pick<Reproduction, 'table' | 'rows'>): SingleRuns {
  const of = figures.filter(({ metric }) => metric === 'delivery.p50');
  return new Map(
    of.map(({ id, target }) => [target, rows.flatMap((row) => (row.figure === id && row.measured?.median) || [])]),
  );
}
