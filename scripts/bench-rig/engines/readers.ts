import type { Bound, Finding } from '../bench.js';
import { countingReader } from '../readers/counting.js';
import { type EngineName, engineLack, isHere, type Missing, type Reader, withFloor } from '../readers/reader.js';
import { type ReaderOptions, shardReader } from '../readers/shard.js';
import { costOf, type Round, readsOf, roundRatio } from '../rounds.js';

/** Names a side of a comparison of engines: an engine or the floor. They are measured in turn. */
export type EngineSide = EngineName | 'floor';

/**
 * Holds the readers of all sides. The floor also has its command, because it can open connections without
 * subscriptions.
 */
export type EngineSides = Record<EngineName, Reader | Missing> & {
  floor: (Reader | Missing) & { command?: readonly [string, ...string[]] };
};

export const sideNames: Record<EngineSide, string> = {
  js: 'JS engine',
  native: 'native engine',
  floor: 'bare epoll floor',
};

/** Runs `work` with both engines, each in a whole bench-runner, and the floor. */
export function withSides<T>(work: (sides: EngineSides) => Promise<T>, how?: ReaderOptions): Promise<T> {
  return withFloor(async (floor) =>
    work({
      js: await engineReader('js', how),
      native: await engineReader('native', how),
      floor: typeof floor === 'string' ? { ...countingReader(sideNames.floor, [floor]), command: [floor] } : floor,
    }),
  );
}

/** Returns a whole bench-runner whose wire clients use this engine. */
export async function engineReader(engine: EngineName, how?: ReaderOptions): Promise<Reader | Missing> {
  const lack = await engineLack(engine);
  return lack === undefined ? shardReader(sideNames[engine], engine, how) : { name: sideNames[engine], lack };
}

/** Returns the command of a floor that can run here. */
export function floorCommand({ command }: EngineSides['floor']): readonly [string, ...string[]] {
  if (command === undefined) throw new Error('the floor is not here');
  return command;
}

/** Returns the reason why one of the sides is missing, or undefined if none is. */
export function missingSides(sides: EngineSides, ...names: EngineSide[]): string | undefined {
  const missing = names.map((name) => sides[name]).find((side) => !isHere(side));
  return missing && 'lack' in missing ? `${missing.name}: ${missing.lack}` : undefined;
}

/** Compares the cost of one side with another, from rounds in which both ran. */
export function costBeside(
  bound: Bound,
  lack: string | undefined,
  ones: readonly Round[],
  others: readonly Round[],
): Finding {
  if (lack !== undefined) return { bound, lack };
  const { value, comparable, of } = roundRatio(ones, others);
  if (comparable > 0) return { bound, value, detail: `${comparable} of ${of} rounds comparable` };
  const reads = [ones, others].map((rounds) => readsOf(rounds)?.toFixed(2) ?? 'unknown').join(' and ');
  return { bound, value, detail: `no round comparable: reads per delivery ${reads}` };
}

/** Returns the cost of each side, as rows that explain a comparison. */
export function costRows(rounds: Record<EngineSide, readonly Round[]>): Finding[] {
  return (Object.keys(rounds) as EngineSide[])
    .filter((side) => rounds[side].length > 0)
    .map((side) => {
      const reads = readsOf(rounds[side]);
      const detail = reads === undefined ? '' : `${reads.toFixed(2)} reads each`;
      return { what: `  ${sideNames[side]}`, measured: `${costOf(rounds[side]).toFixed(2)} us`, detail };
    });
}
