/** A block is one broadcast, or a run of consecutive ones where there are more than this. */
const blocksAtMost = 256;
const binsPerOctave = 64;
/** A bin is at most so wide, as a share of its near edge: 1.6 %. */
export const binShare = 1 / binsPerOctave;
/** The last bin ends at 134 s; what took longer is counted in it. */
const octaves = 27;
export const binsPerBlock = octaves * binsPerOctave;

/** The near edge of a bin, in microseconds. */
export function nearEdge(bin: number): number {
  const octave = Math.floor(bin / binsPerOctave);
  return bin === 0 ? 0 : 2 ** octave * (1 + (bin % binsPerOctave) / binsPerOctave);
}

/** The bin that holds a time of `us` microseconds; all below one share the first. Allocates nothing. */
export function binOf(us: number): number {
  if (us < 1) return 0;
  if (us >= 2 ** octaves) return binsPerBlock - 1;
  const octave = 31 - Math.clz32(us);
  return octave * binsPerOctave + Math.floor((us / 2 ** octave - 1) * binsPerOctave);
}

/**
 * Samples counted by the broadcast that they belong to, so that an interval can be drawn over broadcasts: the deliveries of one share its fate and are
 * not independent samples. Blocks of all workers and shards add up element by element.
 */
export class Blocks {
  readonly #counts: Uint32Array;
  readonly #blocks: number;
  readonly #units: number;

  /** `units` broadcasts, numbered from 0. */
  constructor(units: number) {
    this.#units = units;
    this.#blocks = Math.min(units, blocksAtMost);
    this.#counts = new Uint32Array(this.#blocks * binsPerBlock);
  }

  /** Gives the bin that it was counted in. Hot path: allocates nothing. */
  record(unit: number, us: number): number {
    const bin = binOf(us);
    const at = Math.floor((unit * this.#blocks) / this.#units) * binsPerBlock + bin;
    this.#counts[at] = (this.#counts[at] as number) + 1;
    return bin;
  }

  /** Block after block, `binsPerBlock` counts each. */
  finish(): Uint32Array {
    return this.#counts;
  }
}

/** Where a metric's blocks stand among the series of a report. */
export function blocksOf(metric: string): string {
  return `${metric}Blocks`;
}
