/** Returns the size of part `index` of `of`. Parts differ by at most one. Throws RangeError for wrong numbers. */
export function shareOf(total: number, index: number, of: number): number {
  check(total, index, of);
  return Math.floor(total / of) + (index < total % of ? 1 : 0);
}

/** Returns the first global index of that part. Parts are adjacent. Throws RangeError for wrong numbers. */
export function shareStart(total: number, index: number, of: number): number {
  check(total, index, of);
  return index * Math.floor(total / of) + Math.min(index, total % of);
}

function check(total: number, index: number, of: number): void {
  const isSound = [total, index, of].every((each) => Number.isSafeInteger(each) && each >= 0) && index < of;
  if (!isSound) throw new RangeError(`no share ${index} of ${of} in a total of ${total}`);
}
