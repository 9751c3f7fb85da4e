import { type Draw, drawsOf } from '../stats/bootstrap.js';

/**
 * The order of the targets in each round: `rounds` permutations of 0 to `targets` - 1. Within a block of rounds each
 * target stands equally often at each place and follows each other one equally often (Williams 1949). The seed shuffles
 * names and rounds of each block.
 */
export function slotOrder(seed: number, targets: number, rounds: number): number[][] {
  const draw = drawsOf(seed);
  const order: number[][] = [];
  while (order.length < rounds) {
    const names = shuffled(
      Array.from({ length: targets }, (_, target) => target),
      draw,
    );
    order.push(...shuffled(williams(targets), draw).map((row) => row.map((place) => names[place] as number)));
  }
  return order.slice(0, rounds);
}

/** The rows of a design balanced for predecessors: as many as targets where that is even, else twice as many. */
function williams(targets: number): number[][] {
  // 0, 1, n-1, 2, n-2 …: neighbours differ by every step once.
  const first = Array.from({ length: targets }, (_, place) =>
    place % 2 === 1 ? (place + 1) / 2 : (targets - place / 2) % targets,
  );
  const rows = Array.from({ length: targets }, (_, by) => first.map((each) => (each + by) % targets));
  return targets % 2 === 0 ? rows : [...rows, ...rows.map((row) => row.toReversed())];
}

function shuffled<T>(list: readonly T[], draw: Draw): T[] {
  const copy = [...list];
  for (let last = copy.length - 1; last > 0; last--) {
    const other = draw(last + 1);
    [copy[last], copy[other]] = [copy[other] as T, copy[last] as T];
  }
  return copy;
}
