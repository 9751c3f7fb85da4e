import { drawAt } from '../measure/stats/bootstrap.js';

/** Numbers the subjects of random draws. Each has draws of its own, so that retries do not change drops. */
const subjects = { drop: 1, retry: 2, offset: 3, sender: 4, user: 5 } as const;

/** Returns draw `n`, from 0 to below 1, for a client of the whole run. It depends on these four values only. */
export function draw(seed: number, subject: keyof typeof subjects, client: number, n: number): number {
  return drawAt(seed, subjects[subject], client, n);
}
