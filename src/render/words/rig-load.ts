import type { Trust } from '../../results/result.js';
import { bytes } from '../../units/bytes.js';
import { rate } from '../../units/rate.js';
import { count } from '../../units/words.js';

type Load = NonNullable<Trust['load']>;

/** A calibrated load as a trust names it: `1,000 subscribers × 10/s × 200b on 1 × 1 loop`. */
export function loadInWords(load: Load): string {
  return `${count(load.subscribers)} subscribers × ${rateAndSize(load)} on ${loopsInWords(load)}`;
}

/** `10/s × 200b`; the size where it is known. */
export function rateAndSize({ ratePerSecond, payloadBytes }: Pick<Load, 'ratePerSecond' | 'payloadBytes'>): string {
  return [rate.print(ratePerSecond), ...(payloadBytes === undefined ? [] : [bytes.print(payloadBytes)])].join(' × ');
}

/** Shards and the event loops of each: `1 × 4 loops`. */
export function loopsInWords({ shards, workers }: Pick<Load, 'shards' | 'workers'>): string {
  return `${shards} × ${workers} ${workers === 1 ? 'loop' : 'loops'}`;
}
