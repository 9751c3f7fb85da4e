/** Holds the default run in full, with 3.5 MB per metric and worker. With more broadcasts, a block holds several. */
const blocksAtMost = 512;
const binsPerOctave = 64;
/** The width of a bin as a share of its near edge: 1.6 %. */
export const binShare = 1 / binsPerOctave;
/** The last bin starts below 134 s and holds everything above. */
const octaves = 27;
export const binsPerBlock = octaves * binsPerOctave;

export function nearEdge(bin: number): number {
  const octave = Math.floor(bin / binsPerOctave);
  return bin === 0 ? 0 : 2 ** octave * (1 + (bin % binsPerOctave) / binsPerOctave);
}

/** Bins for each microsecond of an octave. Computing a power costs more than the rest of a sample. */
const binsPerUs = Float64Array.from({ length: octaves }, (_, octave) => binsPerOctave / 2 ** octave);
const farEdgeUs = 2 ** octaves;

/** Returns the bin of a time in microseconds. Allocates nothing. */
export function binOf(us: number): number {
  if (us < 1) return 0;
  if (us >= farEdgeUs) return binsPerBlock - 1;
  const octave = 31 - Math.clz32(us);
  return (octave - 1) * binsPerOctave + Math.floor(us * binsPerUs[octave]!);
}

/** Counts samples by broadcast, as deliveries of one are not independent. Shards add up by element. */
export class Blocks {
  readonly #counts: Uint32Array;
  readonly #blocks: number;
  readonly #units: number;

  constructor(units: number) {
    this.#units = units;
    this.#blocks = Math.min(units, blocksAtMost);
    // Written to at once. Otherwise its pages become resident one by one, and a steady run seems to grow.
    this.#counts = new Uint32Array(this.#blocks * binsPerBlock).fill(0);
  }

  /** Returns the bin. Hot path: allocates nothing. */
  record(unit: number, us: number): number {
    const bin = binOf(us);
    const at = Math.floor((unit * this.#blocks) / this.#units) * binsPerBlock + bin;
    this.#counts[at]!++;
    return bin;
  }

  finish(): Uint32Array {
    return this.#counts;
  }
}

/** Returns the samples in at most so many blocks, each of consecutive ones. */
export function fewerBlocks(counts: Uint32Array, atMost: number): Uint32Array {
  const blocks = counts.length / binsPerBlock;
  if (blocks <= atMost) return counts;
  const fewer = new Uint32Array(atMost * binsPerBlock);
  for (let block = 0; block < blocks; block++) {
    const to = Math.floor((block * atMost) / blocks) * binsPerBlock;
    for (let bin = 0; bin < binsPerBlock; bin++) fewer[to + bin]! += counts[block * binsPerBlock + bin]!;
  }
  return fewer;
}

export function blocksOf(metric: string): string {
  return `${metric}Blocks`;
}

export function binAtRank(bins: Uint32Array, rank: number): number {
  let bin = 0;
  for (let seen = bins[0]!; seen < rank; ) seen += bins[++bin]!;
  return bin;
}

/** Returns the bins that changed since `told`, a flat list of bin and count, and updates `told`. Counts never fall. */
export function changedBins(counts: Uint32Array, told: Uint32Array): number[] {
  const pairs: number[] = [];
  for (let bin = 0; bin < counts.length; bin++) {
    const count = counts[bin]!;
    if (count === told[bin]) continue;
    pairs.push(bin, count);
    told[bin] = count;
  }
  return pairs;
}

export function putBins(pairs: readonly number[], counts: Uint32Array): void {
  for (let at = 0; at < pairs.length; at += 2) counts[pairs[at]!] = pairs[at + 1]!;
}

export function addBins(rows: readonly Uint32Array[]): number[] {
  const pairs: number[] = [];
  const [first] = rows;
  for (let bin = 0; bin < (first?.length ?? 0); bin++) {
    const count = rows.reduce((sum, row) => sum + row[bin]!, 0);
    if (count > 0) pairs.push(bin, count);
  }
  return pairs;
}

/** Returns the counts of one broadcast, from blocks that hold one each. Undefined if a block holds several. */
export function blockOf(blocks: Uint32Array, unit: number, units: number): Uint32Array | undefined {
  return units > blocksAtMost ? undefined : blocks.subarray(unit * binsPerBlock, (unit + 1) * binsPerBlock);
}

/** Returns a quantile of counts by bin in microseconds. `behind` more samples rank last: undefined on one of those. */
export function quantileUs(counts: Uint32Array, share: number, behind = 0): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const rank = share * (total + behind);
  if (total === 0 || rank > total) return undefined;
  let before = 0;
  for (let bin = 0; bin < counts.length; bin++) {
    const count = counts[bin]!;
    if (count > 0 && before + count >= rank) {
      const [near, far] = [nearEdge(bin), nearEdge(bin + 1)];
      return near + (far - near) * Math.max(0, (rank - before) / count);
    }
    before += count;
  }
  return undefined;
}
