/**
 * The bins of `blocks.ts` on their way to the driver, all samples so far in one row of counts. Only those that hold anything travel: as a flat list,
 * each bin followed by its count. Counts never fall, so of several lists the last says all.
 */

/** Those bins in which a count differs from what was told; `told` then holds them. */
export function tellChanged(counts: Uint32Array, told: Uint32Array): number[] {
  const pairs: number[] = [];
  for (let bin = 0; bin < counts.length; bin++) {
    const count = counts[bin] as number;
    if (count === told[bin]) continue;
    pairs.push(bin, count);
    told[bin] = count;
  }
  return pairs;
}

/** Puts the counts of a list in their places. */
export function putBins(pairs: readonly number[], counts: Uint32Array): void {
  for (let at = 0; at < pairs.length; at += 2) counts[pairs[at] as number] = pairs[at + 1] as number;
}

/** Several rows of counts as one list. */
export function addBins(rows: readonly Uint32Array[]): number[] {
  const pairs: number[] = [];
  const [first] = rows;
  for (let bin = 0; bin < (first?.length ?? 0); bin++) {
    const count = rows.reduce((sum, row) => sum + (row[bin] as number), 0);
    if (count > 0) pairs.push(bin, count);
  }
  return pairs;
}
