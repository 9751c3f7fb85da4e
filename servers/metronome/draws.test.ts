import fc from 'fast-check';
import { expect, it } from 'vitest';
import { drawNumber, type Subject } from './metronome.js';

const seeds = fc.integer({ min: 0, max: 0xffff_ffff });
const subjects: Subject[] = ['delay', 'drop', 'duplicate', 'reorder', 'refuse', 'refusePublish'];

/** Draws of neighbouring connections and broadcasts, as a run makes them. */
function draws(seed: number, subject: Subject, connections = 101, broadcasts = 97): number[] {
  return Array.from({ length: connections * broadcasts }, (_, index) =>
    drawNumber(seed, subject, index % connections, Math.floor(index / connections)),
  );
}

it('gives the same number to the same four, and stays where it was', () => {
  expect([drawNumber(1, 'drop', 2, 3), drawNumber(7, 'delay', 11, 13)]).toEqual([
    drawNumber(1, 'drop', 2, 3),
    drawNumber(7, 'delay', 11, 13),
  ]);
  // A change here changes the faults of every seed.
  expect(drawNumber(1, 'drop', 2, 3)).toMatchInlineSnapshot(`0.5071088193920301`);
});

it('is a share of about that size below every bound, whatever the seed', () => {
  fc.assert(
    fc.property(
      seeds,
      fc.constantFrom(...subjects),
      fc.double({ min: 0.01, max: 0.99, noNaN: true }),
      (seed, subject, p) => {
        const all = draws(seed, subject);
        const deviation = Math.sqrt(p * (1 - p) * all.length);
        expect(Math.abs(all.filter((each) => each < p).length - p * all.length)).toBeLessThan(6 * deviation);
      },
    ),
    { numRuns: 50 },
  );
});

it('says nothing about the draws of another subject, the next connection or the next broadcast', () => {
  const all = draws(7, 'drop');
  const others = [draws(7, 'duplicate'), draws(8, 'drop'), all.slice(1), all.slice(101)];
  // The standard deviation of a correlation of n pairs is 1 / √n.
  for (const other of others) expect(Math.abs(correlation(all, other))).toBeLessThan(6 / Math.sqrt(other.length));
});

function correlation(a: readonly number[], b: readonly number[]): number {
  const sum = b.reduce((total, each, index) => total + (each - 0.5) * (a[index]! - 0.5), 0);
  return (sum / b.length) * 12;
}
