import { setTimeout as delay } from 'node:timers/promises';
import { summarize } from '../../../src/measure/samples/distribution.js';
import type { RunResult } from '../../../src/results/result.js';
import type { RunOutcome } from '../../../src/run/run.js';
import { type BenchContext, type Bound, type Finding, repeated, shareFinding } from '../judge.js';
import { withBenchRunner } from '../processes/places.js';
import { compared } from './compared.js';
import { withKnownTruth } from './known-run.js';
import { isAffected, isApart, isBlamed, type JudgedFigure } from './product.js';
import { readSinceSentUs, withServers, writtenSinceSentUs } from './servers.js';

const frozenMs = 500;
const betweenMs = 900;
const withinMs = 180_000;
/** Allows for the delay that the machine adds without a mark. */
const marginUs = 50_000;
const figures = ['p50', 'p90', 'p95', 'p99', 'p999', 'max'] as const;
const load = { clients: 20, ratePerSecond: 100, warmUp: 10 };
const broadcasts = { full: 1000, quick: 500 };
/** With ten broadcasts under way at any time, a freeze hits enough of them for a percentile. */
const orders = { run: 'constant:100ms', compare: 'constant:10ms' };

/**
 * Stops the rig for half a second, again and again. Its figures must carry marks, and no target can be called slower.
 */
export async function frozenRig(
  { unblamed, unaffected, apart, none }: Record<'unblamed' | 'unaffected' | 'apart' | 'none', Bound>,
  context: BenchContext,
): Promise<Finding[]> {
  const repeats = await repeated(context, { full: 3, quick: 1 }, async () => {
    const judged = await frozenRun(context);
    const figuresAffected = judged.filter((each) => isAffected(each, marginUs));
    for (const { name, us, truthUs, leastUs } of figuresAffected)
      context.say(`  ${name} ${us} us, truth ${truthUs} us: ${leastUs ? `marked from ${leastUs} us` : 'no mark'}`);
    context.note({ bench: 'freeze', judged });
    return { figuresAffected, comparison: await frozenComparison(context) };
  });
  const affected = repeats.flatMap((each) => each.figuresAffected);
  const bare = affected.filter((each) => !isBlamed(each, marginUs)).map(({ name }) => name);
  return [
    // Without an affected figure, no figure lacks its mark. The next bound then reports that none was affected.
    affected.length === 0
      ? { bound: unblamed, value: 0, detail: '0 of 0' }
      : shareFinding(unblamed, affected, (each) => !isBlamed(each, marginUs), [...new Set(bare)].join(', ')),
    shareFinding(unaffected, repeats, ({ figuresAffected }) => figuresAffected.length === 0),
    shareFinding(apart, repeats, ({ comparison: { paired } }) => !!paired && isApart(paired, 'one', 'other')),
    shareFinding(none, repeats, ({ comparison: { paired } }) => (paired?.pairs.length ?? 0) === 0),
  ];
}

interface NamedFigure extends JudgedFigure {
  name: string;
}

/** Holds the metronome's true values in microseconds, by metric. */
type Truths = Record<'delivery' | 'publishAck', readonly number[]>;

function frozenRun(context: BenchContext): Promise<NamedFigure[]> {
  return withKnownTruth(orders.run, context, async ({ metronome, rigPid, measure }) => {
    const options = { ...load, broadcasts: broadcasts[context.isQuick ? 'quick' : 'full'] };
    let measured: Promise<RunOutcome> | undefined;
    const publishing = new Promise<void>((publish) => {
      measured = measure(options, publish);
    });
    await Promise.race([publishing, measured]);
    const { result, series } = await frozen(rigPid, measured!, context.signal);
    const sentAtUs = series.sentAtUs ?? new Uint32Array(0);
    const written = await writtenSinceSentUs(metronome, load.warmUp, sentAtUs);
    const read = await readSinceSentUs(metronome, load.warmUp, sentAtUs);
    return judgedFigures(result, { delivery: written.flat(), publishAck: read });
  });
}

/**
 * Returns each latency figure with the truth by the metronome's record, and its mark. A publish is answered as soon as
 * it is read. If the rig did not finish a send before a freeze, the time of that send is in the truth as well. Figures
 * therefore count as affected less often.
 */
function judgedFigures({ metrics, verdict }: RunResult, { delivery, publishAck }: Truths): NamedFigure[] {
  const truths = { delivery, deliveryFromIntended: delivery, publishAck };
  return Object.entries(truths).flatMap(([metric, trueUs]) => {
    const truth = summarize({ kind: 'raw', values: Uint32Array.from(trueUs).sort() });
    return figures.flatMap((figure): NamedFigure[] => {
      const us = metrics[metric]?.[figure];
      if (us === null || us === undefined) return [];
      const marks =
        verdict.bounds?.filter((each) => each.metric === metric && (each.figure ?? figure) === figure) ?? [];
      const leastUs = marks.length > 0 ? Math.min(...marks.map((each) => each.leastUs)) : undefined;
      return [{ name: `${metric} ${figure}`, us, truthUs: truth[figure] ?? 0, leastUs }];
    });
  });
}

function frozenComparison(context: BenchContext) {
  const servers = ['one', 'other'].map((label) => ({
    label,
    target: 'metronome',
    options: { delay: orders.compare },
  }));
  return withServers(servers, (file) =>
    withBenchRunner(context.signal, async ({ url, pid }) => {
      const size = `--clients 20 --slot 60ms --starts 3 --rounds ${context.isQuick ? 20 : 40}`.split(' ');
      const args = ['compare', 'latency', '--target-file', file, '--shard', url, ...size];
      return frozen(pid, compared({ bench: 'freeze', args, withinMs }, context), context.signal);
    }),
  );
}

/** Stops the process again and again until the work is done. The pauses differ, so that they match no schedule. */
async function frozen<T>(pid: number, work: Promise<T>, signal: AbortSignal): Promise<T> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  for (let freeze = 0; !isDone && !signal.aborted; freeze++) {
    process.kill(pid, 'SIGSTOP');
    await delay(frozenMs);
    process.kill(pid, 'SIGCONT');
    await Promise.race([done, delay(betweenMs + (freeze % 3) * 100)]);
  }
  return done;
}
