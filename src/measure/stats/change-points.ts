import { type Draw, drawsOf } from './bootstrap.js';

/** Chance to find a change in a series that has none. */
const changeLevel = 0.03;
const orders = 999;
/** Fewest values on either side of a change: one outlier is none. */
const fewestBeside = 3;

/** With fewer values, chance alone can make any split. */
export const fewestForChange = 8;

/** Holds the place of a split in a series, and how much more both sides differ than the values within each. */
interface Split {
  at: number;
  distance: number;
}

/**
 * Returns the places from which on the values of a series differ: E-divisive with permutation tests (Matteson and James
 * 2014, α = 1). A segment is split in two, as MongoDB does (Daly et al. 2020). A seed gives the same places everywhere.
 */
export function changePoints(values: readonly number[], seed = 1): number[] {
  const draw = drawsOf(seed);
  let segments = [values];
  const places: number[] = [];
  for (;;) {
    const split = bestSplit(segments);
    if (!split || !isBeyondChance(segments, split, draw)) return places;
    places.push(split.at);
    places.sort((a, b) => a - b);
    segments = [0, ...places].map((from, place) => values.slice(from, places[place]));
  }
}

/** Compares a split with the best ones of the same values in random orders within their segments. */
function isBeyondChance(segments: readonly (readonly number[])[], { distance }: Split, draw: Draw): boolean {
  let left = changeLevel * (orders + 1) - 1;
  for (let order = 0; order < orders; order++) {
    const shuffled = segments.map((segment) => shuffle([...segment], draw));
    if ((bestSplit(shuffled)?.distance ?? 0) >= distance && --left < 0) return false;
  }
  return true;
}

function shuffle(values: number[], draw: Draw): number[] {
  for (let left = values.length; left > 1; left--) {
    const at = draw(left);
    [values[at], values[left - 1]] = [values[left - 1]!, values[at]!];
  }
  return values;
}

function bestSplit(segments: readonly (readonly number[])[]): Split | undefined {
  let best: Split | undefined;
  let from = 0;
  for (const segment of segments) {
    const found = splitOf(segment);
    if (found && found.distance > (best?.distance ?? 0)) best = { ...found, at: from + found.at };
    from += segment.length;
  }
  return best;
}

function splitOf(values: readonly number[]): Split | undefined {
  const length = values.length;
  // Sums of the distances of each value to those before it, and to those after it.
  const [earlier, later] = [new Float64Array(length), new Float64Array(length)];
  let [before, between, after] = [0, 0, 0];
  for (let at = 0; at < length; at++)
    for (let other = 0; other < at; other++) {
      const apart = Math.abs(values[at]! - values[other]!);
      earlier[at]! += apart;
      later[other]! += apart;
      after += apart;
    }
  let best: Split | undefined;
  for (let at = 1; at <= length - fewestBeside; at++) {
    before += earlier[at - 1]!;
    between += later[at - 1]! - earlier[at - 1]!;
    after -= later[at - 1]!;
    if (at < fewestBeside) continue;
    const rest = length - at;
    const apart = between / (at * rest) - before / (at * (at - 1)) - after / (rest * (rest - 1));
    const distance = ((2 * at * rest) / length) * apart;
    if (distance > (best?.distance ?? 0)) best = { at, distance };
  }
  return best;
}
