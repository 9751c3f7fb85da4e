/**
 * Calls `take` with the places from `tail` to `head` of a ring, in two pieces where it begins anew. Both are counts
 * modulo 2^32, which the ring's size divides.
 */
export function eachPiece(size: number, tail: number, head: number, take: (start: number, end: number) => void): void {
  const count = (head - tail) >>> 0;
  const start = tail % size;
  const first = Math.min(count, size - start);
  if (first > 0) take(start, start + first);
  if (count > first) take(0, count - first);
}
