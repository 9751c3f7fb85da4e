/** Counts by bin for live figures, as a flat list of bin and count. Counts never fall: the last list says all. */

/** The bins that changed since `told`, which is updated. */
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

/** Writes a list into counts. */
export function putBins(pairs: readonly number[], counts: Uint32Array): void {
  for (let at = 0; at < pairs.length; at += 2) counts[pairs[at] as number] = pairs[at + 1] as number;
}

/** The sum of several rows of counts, as a list. */
export function addBins(rows: readonly Uint32Array[]): number[] {
  const pairs: number[] = [];
  const [first] = rows;
  for (let bin = 0; bin < (first?.length ?? 0); bin++) {
    const count = rows.reduce((sum, row) => sum + (row[bin] as number), 0);
    if (count > 0) pairs.push(bin, count);
  }
  return pairs;
}
