import type { JobRequest } from '../../../src/contract/job.js';
import type { Bound, Finding } from '../judge.js';
import { costOf, type Round, readsOf, roundRatio } from '../rounds.js';
import { countingReader } from './counting.js';
import { isHere, type Missing, nativeLack, type Reader, withFloor } from './reader.js';
import { type ReaderOptions, shardReader } from './shard.js';

/** Names the sides of a comparison: kinds of clients, engines of wire clients, and the floor. */
export const sideNames = {
  wire: 'wire client',
  library: 'library client',
  js: 'JS engine',
  native: 'native engine',
  floor: 'bare epoll floor',
} as const;

export type Side = keyof typeof sideNames;

/** Both kinds of clients, wire clients on the engine that a run chooses. */
export const clientSides = ['wire', 'library'] as const;

/** Both engines, and the floor. */
export const engineSides = ['js', 'native', 'floor'] as const;

/** Maps each side of Ringside to the load of its job. */
export const loadOfSide: Readonly<Record<Exclude<Side, 'floor'>, NonNullable<JobRequest['load']>>> = {
  wire: { client: 'wire' },
  library: { client: 'library' },
  js: { client: 'wire', engine: 'js' },
  native: { client: 'wire', engine: 'native' },
};

/** Holds the readers that can run here, and why the others can't. The floor also has its program. */
export interface Sides {
  readers: Partial<Record<Side, Reader>>;
  floor: string | Missing;
  /** Returns why one of these sides is missing, or undefined if none is. */
  lackOf(...sides: readonly Side[]): string | undefined;
}

/** Returns a whole bench-runner whose clients are those of a side. */
export async function sideReader(
  side: Exclude<Side, 'floor'>,
  name: string = sideNames[side],
  how: ReaderOptions = {},
): Promise<Reader | Missing> {
  const lack = side === 'native' ? await nativeLack() : undefined;
  return lack === undefined ? shardReader(name, { ...loadOfSide[side], ...how.load }, how) : { name, lack };
}

/** Runs `work` with readers for these sides, each of Ringside's in a whole bench-runner. */
export function withSides<T>(names: readonly Side[], work: (sides: Sides) => Promise<T>): Promise<T> {
  return withFloor(async (floor) => {
    const readers: Sides['readers'] = {};
    const lacks = new Map<Side, string>();
    for (const side of names) {
      const ofFloor = typeof floor === 'string' ? countingReader(sideNames.floor, [floor]) : floor;
      const reader = side === 'floor' ? ofFloor : await sideReader(side);
      if (isHere(reader)) readers[side] = reader;
      else lacks.set(side, `${reader.name}: ${reader.lack}`);
    }
    return work({ readers, floor, lackOf: (...sides) => sides.flatMap((side) => lacks.get(side) ?? [])[0] });
  });
}

/** Compares the cost of one side with another, from rounds in which both ran. Library clients count no reads. */
export function costBeside(
  bound: Bound,
  lack: string | undefined,
  ones: readonly Round[],
  others: readonly Round[],
  areComparable?: () => boolean,
): Finding {
  if (lack !== undefined) return { bound, lack };
  const { value, comparable, of } = roundRatio(ones, others, areComparable);
  if (comparable > 0) return { bound, value, detail: `${comparable} of ${of} rounds comparable` };
  const reads = [ones, others].map((rounds) => readsOf(rounds)?.toFixed(2) ?? 'unknown').join(' and ');
  return { bound, value, detail: `no round comparable: reads per delivery ${reads}` };
}

/** Returns the cost of each side, as rows that explain a comparison. */
export function costRows(rounds: Partial<Record<Side, readonly Round[]>>): Finding[] {
  return (Object.keys(rounds) as Side[]).map((side) => {
    const reads = readsOf(rounds[side]!);
    const detail = reads === undefined ? '' : `${reads.toFixed(2)} reads each`;
    return { what: `  ${sideNames[side]}`, measured: `${costOf(rounds[side]!).toFixed(2)} us`, detail };
  });
}
