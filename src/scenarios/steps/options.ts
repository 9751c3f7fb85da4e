import { z } from 'zod';
import { duration } from '../../units/unit.js';
import { bytesOption, choiceOption, countOption, drainMs, rampRatePerSecond } from '../options.js';

export const limitForm = 'pPERCENT<DURATION such as p95<500ms';

/** Describes a percentile of round trips that has to stay below a time. */
export interface Limit {
  /** In parts of a million, exact. */
  millionths: number;
  us: number;
}

const whole = 1_000_000;

/** Reads `p95<500ms`. Returns undefined for any other form. */
export function parseLimit(text: string): Limit | undefined {
  const [, percent = '', below = ''] = /^p(\d{1,2}(?:\.\d{1,4})?)<(.+)$/.exec(text.trim()) ?? [];
  const millionths = Math.round(Number(percent) * 10_000);
  const ms = duration.parse(below);
  return ms === undefined || millionths === 0 ? undefined : { millionths, us: ms * 1000 };
}

/**
 * Returns true if `operations`, of which `atLeast` took the limit's time or longer, keep it: the nearest-rank
 * percentile is below.
 */
export function keepsLimit({ millionths }: Limit, operations: number, atLeast: number): boolean {
  return atLeast <= operations - Math.ceil((operations * millionths) / whole);
}

export const stepsOptions = z.strictObject({
  mode: choiceOption(
    'mode',
    ['broadcast', 'echo'],
    'broadcast',
    'send each operation to all clients, or back to its sender',
  ),
  step: countOption('step', 1000, [1, 1_000_000], 'clients that each step adds, all shards together'),
  steps: countOption('steps', 10, [1, 1000], 'largest number of steps'),
  concurrent: countOption(
    'concurrent',
    4,
    [1, 10_000],
    'unanswered operations at once, all shards together, in a closed loop',
  ),
  sample: countOption('sample', 100, [1, 1_000_000], 'operations of each step; a p95 needs 100'),
  paddingBytes: bytesOption(
    'padding',
    200,
    [0, 1_000_000],
    'padding in each payload, beside 38 bytes that identify it',
  ),
  limit: z
    .string()
    .refine((text) => parseLimit(text) !== undefined, { error: `expected ${limitForm}` })
    .optional()
    .meta({
      flag: 'limit',
      placeholder: 'threshold',
      help: 'stop after the step whose round trips break it, as p95<500ms',
    }),
  rampRatePerSecond,
  drainMs: drainMs(5000, 'longest wait for an answer and for a step’s last deliveries', 1),
});

export type StepsOptions = z.output<typeof stepsOptions>;
