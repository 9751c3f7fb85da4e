import { pairsOfRounds } from '../src/experiment/paired/rounds.js';
import { drawsOf } from '../src/measure/stats/bootstrap.js';
import type { Comparison, ComparisonRow } from '../src/results/comparison.js';
import type { KeptPairedRatio, Paired, PairedRounds } from '../src/results/paired.js';
import { goldenRun } from './kept-golden.js';

/** A comparison whose rounds are made up: each target takes so many times as long as 2 ms, with some noise. */
export interface Made {
  /** By name; the first has the twin. */
  times: Readonly<Record<string, number>>;
  twinTimes?: number;
  starts?: number;
  /** How far processes of one target lie apart from start to start, as a share. */
  noise?: number;
  ended?: Paired['ended'];
  more?: Partial<Paired>;
  target?: (name: string) => Partial<Paired['targets'][number]>;
  others?: readonly ComparisonRow[];
  crowd?: Paired['crowd'];
}

const rounds = 13;
const startsPlanned = 6;

/** The rounds and pairs of such a comparison, and rows of runs for its targets. */
export function pairedComparison(made: Made): Comparison & { paired: Paired } {
  const { times, ended = 'starts', others = [], crowd = null } = made;
  const names = Object.keys(times);
  const [first = ''] = names;
  const twin = `${first} (twin)`;
  const all = { ...times, [twin]: made.twinTimes ?? times[first] ?? 1 };
  const targets = Object.entries(all).map(([target, each]) => ({
    ...{ target, twinOf: target === twin ? first : null, p50Us: 2000 * each, p50AtLeastUs: 1700 * each },
    ...{ tail: { figure: 'p90' as const, us: 3900 * each }, deliveredShare: 1, excludedShare: 0, cpuCores: 0.01 },
    ...made.target?.(target),
  }));
  const starts = startsOf(Object.values(all), made);
  const design = { equalWithin: 0.05, startsPlanned, starts, crowd };
  const paired: Paired = {
    ...{
      seed: 7,
      rounds,
      slotsMs: names.concat(twin).map(() => 43),
      tookMs: 61_300,
      ended,
      targets,
      voidStarts: 0,
      ...design,
    },
    ...pairsOfRounds({ ...design, targets, ended }),
    ...made.more,
  };
  const rows = names.map((target): ComparisonRow => {
    const runs = starts.map((_, start) => ({ directory: `results/${target}-${start}`, result: goldenRun(target, 1) }));
    return { target, state: 'ran', why: '', runs, figures: [] };
  });
  return {
    ...{ schema: 2, tool: { name: 'ringside-bench', version: '0.1.0' }, scenario: 'latency', proof: null, pairs: [] },
    ...{ kind: 'comparison' },
    ...{ fingerprint: '6c7c8d67cbc3', forced: '', repeat: starts.length, startedAt: '2026-11-21T09:40:15.682Z' },
    ...{ rows: [...rows, ...others], paired },
  };
}

function startsOf(times: readonly number[], { starts = startsPlanned, noise = 0.01 }: Made): PairedRounds[][] {
  const draw = drawsOf(7919);
  const steps = 1009;
  const jitter = (size: number): number => 1 + size * (draw(steps) / steps - 0.5);
  return Array.from({ length: starts }, () =>
    times.map((each) => {
      const process = jitter(2 * noise);
      const p50Us = Array.from({ length: rounds }, () => Math.round(2000 * each * process * jitter(noise)));
      return {
        ...{ p50Us, p50AtLeastUs: p50Us.map((us) => us * 0.85), lastUs: p50Us.map((us) => us * 1.5) },
        ...{ stolenUs: [], excluded: [], overlapping: [] },
      };
    }),
  );
}

/** A pair that says so: its intervals reach 5 % and 9 % to either side. */
export function pairOfTwo(a: string, b: string, ratio: number, holds: KeptPairedRatio['holds']): KeptPairedRatio {
  const around = (reach: number): [number, number] => [ratio / reach, ratio * reach];
  const intervals = { interval: around(1.05), joint: around(1.09), theseProcesses: around(1.03) };
  const because = holds === 'open' ? 'chance' : null;
  return { a, b, ratio, ...intervals, ofMedians: ratio, change: null, missing: null, holds, because, family: 3 };
}
