import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { probit } from 'simple-statistics';
import { type DrawSubject, draw } from '../../scenarios/traffic/schedule.js';
import { longestMs } from '../../units/unit.js';
import type { Me } from '../api.js';

/** What a client of a flow draws. Each kind has a count of its own, so that none of them changes another. */
export type DrawKind = Extract<DrawSubject, 'random' | 'think' | 'row' | 'reconnect' | 'schedule' | 'slot'>;

/** The draws of one client. They depend on the seed, its number and its draws before, and on no shard or clock. */
export class ClientDraws {
  readonly #counts: Partial<Record<DrawKind, number>> = {};

  constructor(
    private readonly seed: number,
    private readonly client: number,
  ) {}

  /** Returns the next draw of a kind, from 0 to below 1. */
  next(kind: DrawKind): number {
    const n = this.#counts[kind] ?? 0;
    this.#counts[kind] = n + 1;
    return draw(this.seed, kind, this.client, n);
  }

  /** Begins a further sequence of draws, from 0 to below 1, so that schedules of a client don't change each other's. */
  sequence(kind: DrawKind): () => number {
    const generator = xoroshiro128plus(Math.floor(this.next(kind) * 2 ** 32));
    return () => uniformFloat64(generator);
  }
}

/** Returns a value of the exponential distribution, from a draw. The gaps of a Poisson process are distributed so. */
export function exponential(drawn: number, mean: number): number {
  return -Math.log1p(-drawn) * mean;
}

/** How `me.think` draws its pauses. */
export type ThinkOptions = NonNullable<Parameters<Me['think']>[1]>;

const defaultJitter = 0.5;

/**
 * Returns a pause in milliseconds, from a draw. Its mean is `meanMs` in each shape. `uniform`: at most the share
 * `jitter` shorter or longer. `lognormal`: `jitter` is the standard deviation as a share of the mean. `exponential` has
 * no jitter.
 */
export function thinkMs(drawn: number, meanMs: number, { shape = 'uniform', jitter }: ThinkOptions = {}): number {
  if (jitter !== undefined && !(jitter >= 0 && jitter <= 1))
    throw new RangeError(`me.think: expected a jitter from 0 to 1, received ${jitter}`);
  const share = jitter ?? defaultJitter;
  const pauses: Record<typeof shape, () => number> = {
    uniform: () => meanMs * (1 + share * (2 * drawn - 1)),
    exponential: () => {
      if (jitter === undefined) return exponential(drawn, meanMs);
      throw new RangeError('me.think: expected no jitter with the shape exponential, whose mean says it all');
    },
    lognormal() {
      const variance = Math.log1p(share ** 2);
      return meanMs * Math.exp(Math.sqrt(variance) * probit(Math.max(drawn, 1e-12)) - variance / 2);
    },
  };
  const pause = pauses[shape];
  if (!pause) throw new RangeError(`me.think: expected the shape ${Object.keys(pauses).join(', ')}`);
  return Math.min(pause(), longestMs);
}
