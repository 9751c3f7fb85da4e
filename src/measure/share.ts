/** How much of `total` falls to part `index` of `of`. The parts add up to the whole and differ by at most one. Throws RangeError on nonsense. */
export function share(total: number, index: number, of: number): number {
  check(total, index, of);
  return Math.floor(total / of) + (index < total % of ? 1 : 0);
}

/** The first global index of that share when the parts lie side by side. Throws RangeError on nonsense. */
export function shareStart(total: number, index: number, of: number): number {
  check(total, index, of);
  return index * Math.floor(total / of) + Math.min(index, total % of);
}

function check(total: number, index: number, of: number): void {
  const isSound =
    Number.isSafeInteger(total) &&
    total >= 0 &&
    Number.isSafeInteger(of) &&
    Number.isInteger(index) &&
    0 <= index &&
    index < of;
  if (!isSound) throw new RangeError(`no share ${index} of ${of} in a total of ${total}`);
}
