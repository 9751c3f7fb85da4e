import fc from 'fast-check';
import { mean, standardDeviation } from 'simple-statistics';
import { describe, expect, it } from 'vitest';
import { ClientDraws, exponential, type ThinkOptions, thinkMs } from './draws.js';

const kinds = ['random', 'think', 'row', 'reconnect', 'schedule', 'slot'] as const;

describe('the draws of a client', () => {
  it('depend on seed, number and kind, and on no other kind', () => {
    const order = fc.array(fc.constantFrom(...kinds), { maxLength: 60 });
    fc.assert(
      fc.property(fc.nat(), fc.nat(10_000), order, (seed, client, drawn) => {
        const draws = new ClientDraws(seed, client);
        const mixed = drawn.map((kind) => [kind, draws.next(kind)] as const);
        for (const kind of kinds) {
          const alone = new ClientDraws(seed, client);
          const own = mixed.filter(([each]) => each === kind).map(([, value]) => value);
          expect(own).toEqual(own.map(() => alone.next(kind)));
        }
      }),
    );
  });

  it('differ between kinds, clients and seeds', () => {
    const firsts = [1, 2].flatMap((seed) =>
      [0, 1].flatMap((client) => kinds.map((kind) => new ClientDraws(seed, client).next(kind))),
    );
    expect(new Set(firsts).size).toBe(2 * 2 * kinds.length);
  });

  it('of two sequences keep their values, whichever is drawn first', () => {
    const sequences = () => {
      const draws = new ClientDraws(7, 11);
      return [draws.sequence('schedule'), draws.sequence('schedule')] as const;
    };
    const [a, b] = sequences();
    const [c, d] = sequences();
    const inTurn = [a(), b(), a(), b()];
    const [d1, d2, c1, c2] = [d(), d(), c(), c()];
    expect([c1, d1, c2, d2]).toEqual(inTurn);
    expect(new Set(inTurn).size).toBe(4);
  });
});

/** Draws evenly, without chance. */
const evenly = Array.from({ length: 10_007 }, (_, index) => (index + 0.5) / 10_007);
const pauses = (options?: ThinkOptions) => evenly.map((drawn) => thinkMs(drawn, 3000, options));

describe('the pauses of a person', () => {
  it.each([undefined, { shape: 'exponential' }, { shape: 'lognormal' }, { shape: 'lognormal', jitter: 1 }] as const)(
    'have the asked mean: %j',
    (options) => expect(mean(pauses(options)) / 3000).toBeCloseTo(1, 2),
  );

  it('spread by their jitter', () => {
    expect([thinkMs(0, 1000), thinkMs(0.5, 1000), thinkMs(0, 1000, { jitter: 0 })]).toEqual([500, 1000, 1000]);
    expect(Math.max(...pauses({ jitter: 0.1 }))).toBeLessThanOrEqual(3300);
    expect(standardDeviation(pauses({ shape: 'lognormal', jitter: 0.3 })) / 3000).toBeCloseTo(0.3, 2);
  });

  it('are finite at both ends of a draw', () => {
    for (const shape of ['uniform', 'exponential', 'lognormal'] as const)
      for (const drawn of [0, 1 - 2 ** -53]) expect(thinkMs(drawn, 1000, { shape })).toBeGreaterThanOrEqual(0);
  });

  it('refuse a jitter or shape that they do not have', () => {
    expect(() => thinkMs(0.5, 1, { jitter: 2 })).toThrow(/expected a jitter from 0 to 1, received 2/);
    expect(() => thinkMs(0.5, 1, { shape: 'exponential', jitter: 0.5 })).toThrow(/expected no jitter/);
    expect(() => thinkMs(0.5, 1, { shape: 'normal' as 'uniform' })).toThrow(/uniform, exponential, lognormal/);
  });
});

it('the gaps of a Poisson process are exponential', () => {
  const gaps = evenly.map((drawn) => exponential(drawn, 10));
  expect(mean(gaps)).toBeCloseTo(10, 1);
  expect(gaps.filter((gap) => gap > 10).length / gaps.length).toBeCloseTo(Math.exp(-1), 3);
});
