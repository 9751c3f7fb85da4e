import { drawAt } from '../../src/measure/stats/draw.js';

/** What is drawn for. Each has draws of its own, so that one order changes nothing about another. */
const subjects = { delay: 1, drop: 2, duplicate: 3, reorder: 4, refuse: 5, refusePublish: 6 } as const;

/** What a draw decides. */
export type Subject = keyof typeof subjects;

/** A number from 0 up to, not including, 1 that these four decide alone, in whatever order and at whatever time it is asked for. */
export function draw(seed: number, subject: Subject, connection: number, broadcast: number): number {
  return drawAt(seed, subjects[subject], connection, broadcast);
}
