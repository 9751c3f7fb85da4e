/** A p95 left its plateau if it is `times` the plateau in `inARow` successive buckets. */
const left = { times: 3, inARow: 2 };
const plateauHundreds = 5;
/** Least number of buckets that can show whether the plateau was left. */
export const bucketsForAnEnd = plateauHundreds + left.inARow;

export interface PingPlateau {
  /** Median p95 of the first buckets, in microseconds. */
  us: number;
  /** Number of buckets from the first with a p95 on. */
  hundreds: number;
  /** The bucket, counted from 0, that left the plateau for good; undefined if none did. */
  leftAt: number | undefined;
}

/**
 * Finds the plateau of p95s by bucket, and its end by their lower ends. Returns undefined if there are too few buckets.
 * The first buckets can have too few pings for a p95.
 */
export function pingPlateauOf(
  p95: readonly (number | null)[],
  atLeast: readonly (number | null)[],
): PingPlateau | undefined {
  const from = p95.findIndex((us) => us !== null);
  if (from < 0) return undefined;
  const first = p95.slice(from, from + plateauHundreds).filter((us) => us !== null);
  if (first.length < plateauHundreds) return undefined;
  const us = first.sort((a, b) => a - b)[Math.floor(plateauHundreds / 2)] as number;
  const isAbove = (hundred: number): boolean => {
    const least = atLeast[hundred];
    // A bucket without any answer has no figure.
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
