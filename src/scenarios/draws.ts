import { drawAt } from '../measure/stats/bootstrap.js';

/** What is drawn for. Each has draws of its own, so that retries change nothing about drops. */
const subjects = { drop: 1, retry: 2, offset: 3, sender: 4, user: 5 } as const;

/** Draw `n`, from 0 to below 1, for a client of the whole run: a function of these four alone. */
export function draw(seed: number, subject: keyof typeof subjects, client: number, n: number): number {
  return drawAt(seed, subjects[subject], client, n);
}
