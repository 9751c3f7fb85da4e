import { drawAt } from '../measure/stats/bootstrap.js';

/** Numbers the subjects of random draws. Each has draws of its own, so that retries do not change drops. */
const subjects = {
  ...{ drop: 1, retry: 2, offset: 3, sender: 4, user: 5 },
  ...{ random: 6, think: 7, row: 8, reconnect: 9, schedule: 10, slot: 11 },
  ...{ stream: 12, dealtStream: 13, broadcastStream: 14 },
} as const;

/** Names what a client draws. */
export type DrawSubject = keyof typeof subjects;

/** Returns draw `n`, from 0 to below 1, for a client of the whole run. It depends on these four values only. */
export function draw(seed: number, subject: DrawSubject, client: number, n: number): number {
  return drawAt(seed, subjects[subject], client, n);
}
