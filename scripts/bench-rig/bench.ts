import type { BoundName } from './bounds.js';

/** A measured figure: one that a bound is held against, or one that only explains another. */
export type Finding =
  | { bound: BoundName; value: number; detail: string }
  | { bound?: undefined; what: string; measured: string; detail: string };

/** How a bench is run. */
export interface BenchContext {
  /** Smaller loads: for a look, not for a judgement. */
  isQuick: boolean;
  /** Aborted by the user's signal; every process that a bench started ends with it. */
  signal: AbortSignal;
  /** Says on stderr what is going on. */
  say(text: string): void;
}

/** One measurement of the rig itself, and the bounds that it has to find a figure for. */
export interface Bench {
  name: string;
  bounds: readonly BoundName[];
  run(context: BenchContext): Promise<Finding[]>;
}
