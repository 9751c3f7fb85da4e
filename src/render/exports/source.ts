import type { Declaration } from '../../measure/declaration.js';
import type { Samples } from '../../measure/samples/samples.js';
import type { Kept } from './kept.js';

/** What is exported: a result, its scenario, and which metrics' samples are asked for. */
export interface Source<K extends Kept> {
  kept: K;
  scenario: Declaration;
  /** In the order in which they are to come; those of one metric are read only when it is their turn. */
  metrics: readonly string[];
  samples(metric: string): Promise<Samples>;
}
