import { readFileSync } from 'node:fs';
import { pairOf } from '../../../src/measure/statement.js';
import { packageFile } from '../../../src/units/package-files.js';
import { type BenchContext, type Bound, type Finding, repeated, shareFinding } from '../judge.js';
import { besideBurners, stolenInWords } from '../processes/machine.js';
import { compared } from './compared.js';
import { recordedRounds } from './known-run.js';
import { areInOrder, contains, isApart, usualUs } from './product.js';
import { withOwnServers, withServers } from './servers.js';

const defaultOrder = ['uws', 'ws', 'socketio'];
const times = { full: 20, quick: 1 };
const withinMs = 180_000;
const quickSize = ['--starts', '3', '--rounds', '12'];

function benchArguments(): string[] {
  const { scripts } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  return (scripts.bench ?? '').split(' ').slice(2);
}

/** Checks that the first command of a new user answers in time and correctly. */
export async function defaultComparison(
  { exits, orders }: Record<'exits' | 'orders', Bound>,
  context: BenchContext,
): Promise<Finding[]> {
  const args = benchArguments();
  // A run over its time limit is ended soon after it.
  const repeats = await repeated(context, { full: 10, quick: 1 }, () =>
    compared({ bench: 'bench', args, withinMs: 150_000 }, context),
  );
  const slowest = Math.max(0, ...repeats.map(({ elapsedMs }) => elapsedMs));
  const detail = `at most ${(slowest / 1000).toFixed(0)} s; ${stolenInWords(repeats)}`;
  return [
    shareFinding(exits, repeats, ({ exitCode, elapsedMs }) => exitCode !== 0 || elapsedMs > 120_000, detail),
    shareFinding(orders, repeats, ({ paired }) => !paired || !areInOrder(paired, defaultOrder)),
  ];
}

/** Compares two processes of one server, fresh in every start. There is no difference to find. */
export async function againstItself(
  { apart, none }: Record<'apart' | 'none', Bound>,
  context: BenchContext,
): Promise<Finding[]> {
  const size = context.isQuick ? [...quickSize, '--slot', '40ms'] : [];
  const repeats = await repeated(context, times, () =>
    withOwnServers('uws', ['one', 'other'], (file) => {
      const args = ['compare', 'latency', '--target-file', file, '--clients', '100', ...size];
      return compared({ bench: 'itself', args, withinMs }, context);
    }),
  );
  return [
    shareFinding(
      apart,
      repeats,
      ({ paired }) => paired !== undefined && isApart(paired, 'one', 'other'),
      stolenInWords(repeats),
    ),
    shareFinding(none, repeats, ({ paired }) => (paired?.pairs.length ?? 0) === 0),
  ];
}

/**
 * Compares two metronomes of known truth, alone and beside a process that burns a part of a core. The truth is the
 * ratio of their median times by their own record, from the read of a publish to the write. The time to a metronome and
 * back is part of both figures of the comparison, which moves its ratio towards 1.
 */
export async function metronomes(
  { missed, open }: Record<'missed' | 'open', Bound>,
  context: BenchContext,
): Promise<Finding[]> {
  const repeats = await repeated(context, times, (repeat) =>
    besideBurners(repeat % 2 === 0 ? [] : [0.3], context.signal, () => tenAndEleven(repeat % 2 === 0, context)),
  );
  const ratios = repeats.flatMap(({ paired }) => (paired && pairOf(paired.pairs, 'eleven', 'ten')?.ratio) ?? []);
  const range = (values: readonly number[]): string =>
    values.length === 0 ? 'none' : `${Math.min(...values).toFixed(3)} to ${Math.max(...values).toFixed(3)}`;
  const detail = `truth by the record ${range(repeats.map(({ truth }) => truth))}, said ${range(ratios)}`;
  return [
    shareFinding(missed, repeats, ({ paired, truth }) => !paired || !contains(paired, 'eleven', 'ten', truth), detail),
    shareFinding(open, repeats, ({ paired }) => !paired || !isApart(paired, 'eleven', 'ten'), stolenInWords(repeats)),
  ];
}

function tenAndEleven(isAlone: boolean, context: BenchContext) {
  const delays = { ten: 'constant:10ms', eleven: 'constant:11ms' };
  const orders = Object.entries(delays).map(([label, delay]) => ({ label, target: 'metronome', options: { delay } }));
  return withServers(orders, async (file, servers) => {
    const size = context.isQuick ? ['--clients', '7', ...quickSize] : ['--clients', '50'];
    const args = ['compare', 'latency', '--target-file', file, ...size];
    let truth = Number.NaN;
    const end = await compared({ bench: 'metronomes', args, withinMs }, context, async ({ rows }) => {
      const [ten = [], eleven = []] = await recordedRounds(servers, rows);
      const recordUs = { ten: usualUs(ten), eleven: usualUs(eleven) };
      truth = recordUs.eleven / recordUs.ten;
      return { isAlone, truth, recordUs };
    });
    return { ...end, truth };
  });
}
