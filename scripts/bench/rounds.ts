import { median } from 'simple-statistics';

/** Describes the cost of one reader in one round. */
export interface Round {
  cpuUs: number;
  /** Deliveries or connections. */
  units: number;
  /** Reads of sockets per delivery, if the reader counts them. */
  readsPerUnit?: number | undefined;
}

/** Reads that carry several deliveries are cheaper. Beyond this difference, costs do not compare the readers. */
const mostReadsApart = 0.05;

/** Returns all in the order of one round. Each is first as often as last, and every other cycle runs backwards. */
export function roundOrder<T>(all: readonly T[], round: number): T[] {
  const shift = round % all.length;
  const turned = [...all.slice(shift), ...all.slice(0, shift)];
  return Math.floor(round / all.length) % 2 === 0 ? turned : turned.reverse();
}

/** Measures every side in every round, in changing order. `turn` counts all measurements from 0. */
export async function inRounds<S extends string, T>(
  sides: readonly S[],
  rounds: number,
  measure: (side: S, turn: number) => Promise<T>,
): Promise<Record<S, T[]>> {
  const found = Object.fromEntries(sides.map((side) => [side, [] as T[]])) as Record<S, T[]>;
  let turn = 0;
  for (let round = 0; round < rounds; round++)
    for (const side of roundOrder(sides, round)) found[side].push(await measure(side, turn++));
  return found;
}

/** Returns the CPU of one unit in microseconds, the median of the rounds. */
export function costOf(rounds: readonly Round[]): number {
  return median(rounds.map(perUnit));
}

/** Returns the reads per delivery, the median of the rounds with a count. Undefined without one. */
export function readsOf(rounds: readonly Round[]): number | undefined {
  const known = rounds.flatMap(({ readsPerUnit }) => readsPerUnit ?? []);
  return known.length === 0 ? undefined : median(known);
}

/** Describes the cost of one reader relative to another that ran in the same rounds. */
export interface Ratio {
  /** The median of the comparable rounds. NaN if there is none. */
  value: number;
  comparable: number;
  of: number;
}

/** Compares round by round. Two rounds are comparable if both count reads and differ in them by less than 5 %. */
export function roundRatio(ones: readonly Round[], others: readonly Round[], areComparable = areAlike): Ratio {
  const pairs = ones.slice(0, others.length).map((one, index) => [one, others[index] as Round] as const);
  const ratios = pairs.filter(([one, other]) => areComparable(one, other)).map(([a, b]) => perUnit(a) / perUnit(b));
  return { value: ratios.length === 0 ? Number.NaN : median(ratios), comparable: ratios.length, of: pairs.length };
}

function areAlike({ readsPerUnit: one }: Round, { readsPerUnit: other }: Round): boolean {
  if (one === undefined || other === undefined) return false;
  return Math.abs(one - other) < mostReadsApart * Math.max(one, other);
}

function perUnit({ cpuUs, units }: Round): number {
  return cpuUs / units;
}

/** Returns the cost of each further unit, from the totals of few and many. */
export function slopeOf(few: { units: number; value: number }, many: { units: number; value: number }): number {
  return (many.value - few.value) / (many.units - few.units);
}
