import { lengthMs, stagesOf, visitsOf } from '../visits/stages.js';

/** The hundreds of clients of a run: which one an instant belongs to, by the plan alone. */
export class Hundreds {
  readonly count: number;
  readonly #lengthMs: number;
  readonly #arrivalsMs: readonly number[];
  #startAtNs = 0;

  constructor(stages: string) {
    this.#lengthMs = lengthMs(stagesOf(stages));
    this.#arrivalsMs = visitsOf(stagesOf(stages)).map(({ fromMs }) => fromMs);
    this.count = Math.ceil(this.#arrivalsMs.length / 100);
  }

  begin(startAtNs: number): void {
    this.#startAtNs = startAtNs;
  }

  /** When a hundred, from 0, comes in: until the next one begins to, or until the end. */
  spanMs(hundred: number): [fromMs: number, toMs: number] {
    const firstMs = (of: number): number => this.#arrivalsMs[of * 100] ?? this.#lengthMs;
    return [firstMs(hundred), firstMs(hundred + 1)];
  }

  /** The hundred, from 0, that was planned to be coming in then. Allocates nothing. */
  at(ns: number): number {
    const ms = (ns - this.#startAtNs) / 1e6;
    let [low, high] = [0, this.#arrivalsMs.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#arrivalsMs[middle] as number) <= ms) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, Math.ceil(low / 100) - 1);
  }
}

/** How far behind its plateau a p95 counts as having left it, and in how many hundreds in a row. */
const left = { times: 3, inARow: 2 };
const plateauHundreds = 5;
/** With fewer hundreds nothing says whether the plateau was left. */
export const hundredsForAnEnd = plateauHundreds + left.inARow;

export interface Plateau {
  /** The median p95 of the first hundreds, in microseconds. */
  us: number;
  /** How many hundreds there are from the first with a p95 on. */
  hundreds: number;
  /** The first hundred, from 0, that left it for good; undefined where none did. */
  leftAt: number | undefined;
}

/**
 * The plateau of p95s by hundred, and where it ends by their lower ends; undefined with too few hundreds. The first
 * hundreds can have too few pings for a p95.
 */
export function plateauOf(p95: readonly (number | null)[], atLeast: readonly (number | null)[]): Plateau | undefined {
  const from = p95.findIndex((us) => us !== null);
  if (from < 0) return undefined;
  const first = p95.slice(from, from + plateauHundreds).filter((us) => us !== null);
  if (first.length < plateauHundreds) return undefined;
  const us = first.sort((a, b) => a - b)[Math.floor(plateauHundreds / 2)] as number;
  const isAbove = (hundred: number): boolean => {
    const least = atLeast[hundred];
    // Where nothing was answered any more, no figure is left.
    return p95[hundred] === null || (least !== null && least !== undefined && least > us * left.times);
  };
  const inARow = (hundred: number): boolean =>
    Array.from({ length: left.inARow }, (_, n) => hundred + n).every(isAbove);
  const hundreds = p95.length - from;
  const candidates = Array.from(
    { length: Math.max(0, hundreds - plateauHundreds - 1) },
    (_, n) => from + plateauHundreds + n,
  );
  return { us, hundreds, leftAt: candidates.find(inARow) };
}
