import { duration } from '../../units/unit.js';

export const limitForm = 'pPERCENT<DURATION such as p95<500ms';

/** A percentile of round trips that is to stay below a time. */
export interface Limit {
  /** In parts of a million, exact. */
  millionths: number;
  us: number;
}

const whole = 1_000_000;

/** Reads `p95<500ms`; undefined for any other form. */
export function parseLimit(text: string): Limit | undefined {
  const [, percent = '', below = ''] = /^p(\d{1,2}(?:\.\d{1,4})?)<(.+)$/.exec(text.trim()) ?? [];
  const millionths = Math.round(Number(percent) * 10_000);
  const ms = duration.parse(below);
  return ms === undefined || millionths === 0 ? undefined : { millionths, us: ms * 1000 };
}

/** Whether `slow` of `sent` operations keep the limit: the nearest-rank percentile is below it. */
export function keepsLimit({ millionths }: Limit, operations: number, atLeast: number): boolean {
  return atLeast <= operations - Math.ceil((operations * millionths) / whole);
}
