/** Describes a scenario's part in a paired comparison. A round is one broadcast, or one send of each client. */
export interface Slots<O = Record<string, unknown>> {
  stage: string;
  /** The metric, with blocks by round, that compares the targets, and its lower bound. */
  metric: string;
  atLeast: string;
  /** The series that count, by round, the arrivals and the losses. */
  came: string;
  missing: string;
  /** The counts of the ledger that hold the arrivals (`part`) and the deliveries owed (`whole`). */
  share: { part: string; whole: string };
  options(size: SlotSize): Partial<O>;
  /** Share of a slot over which the load of a round is spread. Left out if all of it leaves at once. */
  spreadShare?: number;
  /** Returns the shortest slot in which the load of a round fits, in milliseconds. Left out if any slot will do. */
  leastSlotMs?(options: O): number;
  /** Returns why these options cannot follow slots, in words: option, expected, received. */
  contradictions?(options: O): readonly string[];
}

/** Describes one start of a paired comparison. `roundMs` is the time of all its targets' slots together. */
export interface SlotSize {
  rounds: number;
  warmUp: number;
  roundMs: number;
}
