import { columns } from '../../src/render/words/table.js';
import { countText } from '../../src/units/text.js';

/** Describes a requirement on the rig. A figure keeps its bound if it is `atMost` or less. */
export interface Bound {
  what: string;
  atMost: number;
  print(value: number): string;
}

/**
 * Describes a measured figure. It has a bound or explains another figure. A bound can lack what it needs on this
 * machine.
 */
export type Finding =
  | { bound: Bound; value: number; detail: string }
  | { bound: Bound; lack: string }
  | { bound?: undefined; what: string; measured: string; detail: string };

/** Holds the settings of a bench. */
export interface BenchContext {
  /** Uses smaller loads in quick mode. The bounds apply to the full run. */
  isQuick: boolean;
  /** Aborted by the user's signal. Every process of a bench ends with it. */
  signal: AbortSignal;
  say(text: string): void;
}

/** Describes one measurement of the rig itself, with the bounds that need a figure. */
export interface Bench {
  name: string;
  bounds: readonly Bound[];
  /** Runs only if `--only` names it, because it takes many minutes. */
  isOnRequest?: true;
  run(context: BenchContext): Promise<Finding[]>;
}

/** Holds the findings of one bench, or the reason why it failed. */
export type Outcome = { bench: Pick<Bench, 'bounds'>; findings: readonly Finding[]; failure?: string };

/** Formats the values of bounds. */
export const printers = {
  ratio: (value: number) => `${value.toFixed(2)} x`,
  bytes: (value: number) => `${countText(Math.round(value))} bytes`,
  microseconds: (us: number) => `${us.toFixed(2)} us`,
  megabytes: (bytes: number) => `${(bytes / 1e6).toFixed(2)} MB`,
  milliseconds: (ms: number) => `${Math.round(ms)} ms`,
  seconds: (ms: number) => `${(ms / 1000).toFixed(2)} s`,
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
      const { bound } = finding;
      if ('lack' in finding) {
        rows.push([bound.what, 'not here', `<= ${bound.print(bound.atMost)}`, '', finding.lack]);
        continue;
      }
      const { value, detail } = finding;
      // NaN keeps no bound.
      const isWithin = value <= bound.atMost;
      isKept &&= isWithin;
      const measured = Number.isNaN(value) ? 'not measured' : bound.print(value);
      rows.push([bound.what, measured, `<= ${bound.print(bound.atMost)}`, isWithin ? 'kept' : 'BROKEN', detail]);
    }
  }
  return { text: columns(['what', 'measured', 'bound', '', ''], rows, [0, 3, 4]), isKept };
}

/** Runs one bench. If it throws, the error goes to stderr and becomes its failure. */
export async function outcomeOf<C extends Pick<BenchContext, 'say'>, B extends Pick<Bench, 'name' | 'bounds'>>(
  bench: B & { run(context: C): Promise<Finding[]> },
  context: C,
): Promise<Outcome> {
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
