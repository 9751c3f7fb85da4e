import { drawAt } from '../measure/stats/draw.js';

/** What is drawn for. Each has draws of its own, so that retries change nothing about drops. */
const subjects = { drop: 1, retry: 2, offset: 3, sender: 4 } as const;

/**
 * Number `n` of the numbers from 0 up to, not including, 1 that are drawn for a client of the whole run: a function of these four alone, however
 * clients are split and whenever it is asked for.
 */
export function draw(seed: number, subject: keyof typeof subjects, client: number, n: number): number {
  return drawAt(seed, subjects[subject], client, n);
}
