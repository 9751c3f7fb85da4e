import { columns } from '../../src/render/words/table.js';
import { countText } from '../../src/units/text.js';
import type { CaseRow } from './answers/tally.js';

/** Describes a requirement. A figure keeps its bound if it is `atMost` or less. */
export interface Bound {
  what: string;
  atMost: number;
  print(value: number): string;
}

/** Describes a figure. It has a bound or explains another figure. A bound can lack what it needs on this machine. */
export type Finding =
  | { bound: Bound; value: number; detail: string }
  | { bound: Bound; lack: string }
  | { bound?: undefined; what: string; measured: string; detail: string };

/** Holds the settings of a measurement. */
export interface BenchContext {
  /** Uses smaller loads in quick mode. The bounds apply to the full run. */
  isQuick: boolean;
  /** Aborted by the user's signal. Every process of a measurement ends with it. */
  signal: AbortSignal;
  say(text: string): void;
  /** Number of repeats. By default, the measurement uses its own number. */
  times?: number | undefined;
  /** Directory in which the product keeps its results. */
  directory: string;
  row(row: CaseRow): void;
}

/** Describes one measurement of the rig or one claim about the answers, with the bounds that need a figure. */
export interface Measurement {
  name: string;
  bounds: readonly Bound[];
  /** Runs only if `--only` names it, because it takes many minutes. */
  isOnRequest?: boolean;
  /** Ends every process that it starts. */
  run(context: BenchContext): Promise<Finding[]>;
}

/** Holds the findings of one measurement, or the reason why it failed. */
export type Outcome = { bench: Pick<Measurement, 'bounds'>; findings: readonly Finding[]; failure?: string };

/** Formats the values of bounds. */
export const printers = {
  ratio: (value: number) => `${value.toFixed(2)} x`,
  bytes: (value: number) => `${countText(Math.round(value))} bytes`,
  megabytes: (bytes: number) => `${(bytes / 1e6).toFixed(2)} MB`,
  seconds: (ms: number) => `${(ms / 1000).toFixed(2)} s`,
  ofCore: (cores: number) => `${(cores * 100).toFixed(1)} % of a core`,
};

/**
 * Formats the table of all figures and checks every bound. A bound without a figure is broken, unless the machine lacks
 * the measured part.
 */
export function judgeBenches(outcomes: readonly Outcome[]): { text: string; isKept: boolean } {
  const rows: string[][] = [];
  let isKept = true;
  for (const { bench, findings, failure = '' } of outcomes) {
    const missing = bench.bounds
      .filter((bound) => !findings.some((finding) => finding.bound === bound))
      .map((bound) => ({ bound, value: Number.NaN, detail: failure }));
    for (const finding of [...findings, ...missing]) {
      if (finding.bound === undefined) {
        rows.push([finding.what, finding.measured, '', '', finding.detail]);
        continue;
      }
      const { what, atMost, print } = finding.bound;
      if ('lack' in finding) {
        rows.push([what, 'not here', `<= ${print(atMost)}`, '', finding.lack]);
        continue;
      }
      const { value, detail } = finding;
      // NaN keeps no bound.
      const isWithin = value <= atMost;
      isKept &&= isWithin;
      const measured = Number.isNaN(value) ? 'not measured' : print(value);
      rows.push([what, measured, `<= ${print(atMost)}`, isWithin ? 'kept' : 'BROKEN', detail]);
    }
  }
  return { text: columns(['what', 'measured', 'bound', '', ''], rows, [0, 3, 4]), isKept };
}

/** Makes one measurement. If it throws, the error goes to stderr and becomes its failure. */
export async function outcomeOf(bench: Measurement, context: BenchContext): Promise<Outcome> {
  context.say(`${bench.name} ...`);
  try {
    return { bench, findings: await bench.run(context) };
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    context.say(`${bench.name}: ${error instanceof Error ? error.stack : failure}`);
    // The table has one line for it.
    return { bench, findings: [], failure: failure.split('\n', 1)[0] as string };
  }
}

/** Makes all repeats: the requested number, or else the measurement's own, which is lower in quick mode. */
export async function repeated<T>(
  { times, isQuick }: Pick<BenchContext, 'times' | 'isQuick'>,
  own: { full: number; quick: number },
  work: (repeat: number) => Promise<T>,
): Promise<T[]> {
  const repeats: T[] = [];
  const count = times ?? (isQuick ? own.quick : own.full);
  while (repeats.length < count) repeats.push(await work(repeats.length));
  return repeats;
}
