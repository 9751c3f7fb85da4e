/** With more broadcasts, a block holds several. */
const blocksAtMost = 256;
const binsPerOctave = 64;
/** The width of a bin as a share of its near edge: 1.6 %. */
export const binShare = 1 / binsPerOctave;
/** The last bin starts below 134 s and holds everything above. */
const octaves = 27;
export const binsPerBlock = octaves * binsPerOctave;

/** The near edge of a bin, in microseconds. */
export function nearEdge(bin: number): number {
  const octave = Math.floor(bin / binsPerOctave);
  return bin === 0 ? 0 : 2 ** octave * (1 + (bin % binsPerOctave) / binsPerOctave);
}

/** The bin of a time in microseconds. Allocates nothing. */
export function binOf(us: number): number {
  if (us < 1) return 0;
  if (us >= 2 ** octaves) return binsPerBlock - 1;
  const octave = 31 - Math.clz32(us);
  return octave * binsPerOctave + Math.floor((us / 2 ** octave - 1) * binsPerOctave);
}

/**
 * Samples counted by broadcast, for intervals over broadcasts: deliveries of one broadcast are not independent.
 * Blocks of all workers and shards add up element by element.
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

  /** Returns the bin. Hot path: allocates nothing. */
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

/** The name of a metric's blocks among the series of a report. */
export function blocksOf(metric: string): string {
  return `${metric}Blocks`;
}
