import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startNs, workerOnStage } from '../../../test/stage/worker-on-stage.js';
import { shareOf, shareStart } from '../../measure/share.js';
import { presenceOf } from '../books/presence.js';
import { jitterOptions } from '../jitter.js';
import { type DropPlan, dropInstants, leastOnlineMs, planDrops, spreads } from './drops.js';
import { planRamp } from './ramp.js';
import { createRoster } from './roster.js';

const [seed, broadcasts, ratePerSecond] = [7, 120, 4];

/** Others get every broadcast 2 ms after its send; client 0 gets none. */
function heardByOthers(
  { board }: { board: { sentAtNs: Float64Array } },
  presence: ReturnType<typeof presenceOf>,
  sequence: number,
): void {
  presence.cameLive(
    sequence,
    {
      count: 1,
      notBeforeNs: new Float64Array(1),
      client: Int32Array.of(1),
      sequence: Int32Array.of(sequence),
      receivedAtNs: Float64Array.of((board.sentAtNs[sequence] as number) + 2e6),
      flags: new Uint8Array(1),
    },
    0,
  );
}

it.each([20, 211, 1009])(
  'what may lie unread at a drop, %i ms after the tick before it, is no loss while online',
  async (stallMs) => {
    const options = jitterOptions.parse({ clients: 1, warmUp: 0, broadcasts, ratePerSecond, spread: 'fixed' });
    const { context, clock, abort } = workerOnStage(options, { clientCount: 1, broadcasts, seed });
    const presence = presenceOf(context, 1);
    const roster = createRoster(context, { deliveries: () => undefined });
    const ramp = planRamp(roster);
    const drops = planDrops(roster, options, presence);
    await clock.run(ramp.run(startNs, { ratePerSecond: 1000 }, abort.signal));
    const { everyMs, offlineMs, spread } = options;
    const plan = { seed, everyMs, offlineMs, spread, lengthMs: (broadcasts * 1000) / ratePerSecond };
    presence.begin(startNs);
    drops.begin(startNs, startNs, plan);
    const [dropMs = 0] = dropInstants(0, plan);
    const tickMs = dropMs - 1;
    const tickAt = async (ms: number): Promise<void> => {
      await clock.run(clock.until(startNs + ms * 1e6));
      drops.tick();
    };
    // One broadcast that was surely read before the last tick, and one that came just behind it.
    [tickMs - 71, tickMs + 1].forEach((sentMs, sequence) => {
      context.board.sentAtNs[sequence] = startNs + sentMs * 1e6;
      heardByOthers(context, presence, sequence);
    });
    await tickAt(tickMs);
    expect(drops.drops).toBe(0);
    await tickAt(tickMs + stallMs);
    expect(drops.drops).toBe(1);
    expect([0, 1].map((sequence) => presence.wasAway(0, sequence))).toEqual([false, true]);
  },
);

const base: DropPlan = { seed: 7, everyMs: 15_000, offlineMs: 2000, spread: 'exponential', lengthMs: 61_000 };

const plans = fc.record({
  seed: fc.nat({ max: 0xffff_ffff }),
  everyMs: fc.integer({ min: 8000, max: 59_000 }),
  offlineMs: fc.integer({ min: 2000, max: 7000 }),
  spread: fc.constantFrom(...spreads),
  lengthMs: fc.integer({ min: 0, max: 307_000 }),
});
const clients = fc.nat({ max: 100_003 });

const gaps = (instants: readonly number[]): number[] =>
  instants.slice(1).map((atMs, n) => atMs - (instants[n] as number));
const mean = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0) / values.length;
const many = Array.from({ length: 997 }, (_, client) => client);

describe('the drops of a client', () => {
  it('are a function of seed and number alone, ascending, within the run', () => {
    fc.assert(
      fc.property(clients, plans, (client, plan) => {
        const instants = dropInstants(client, plan);
        expect(dropInstants(client, plan)).toEqual(instants);
        expect(instants.every((atMs) => atMs >= 0 && atMs < plan.lengthMs)).toBe(true);
        const least = plan.offlineMs + leastOnlineMs;
        expect(gaps(instants).every((gap) => gap > least - 0.001)).toBe(true);
      }),
    );
  });

  it('of a shorter run are the first ones of a longer', () => {
    fc.assert(
      fc.property(clients, plans, fc.nat({ max: 307_000 }), (client, plan, lengthMs) => {
        const cut = dropInstants(client, plan).filter((atMs) => atMs < lengthMs);
        expect(dropInstants(client, { ...plan, lengthMs: Math.min(lengthMs, plan.lengthMs) })).toEqual(cut);
      }),
    );
  });

  it('do not depend on how clients are split', () => {
    const whole = many.map((client) => dropInstants(client, base));
    const parts = [0, 1, 2].flatMap((index) => {
      const first = shareStart(many.length, index, 3);
      return many.slice(0, shareOf(many.length, index, 3)).map((client) => dropInstants(first + client, base));
    });
    expect(parts).toEqual(whole);
  });

  it.each(spreads)('come about every --every, %s', (spread) => {
    const plan = { ...base, spread, lengthMs: 1_500_000 };
    const instants = many.map((client) => dropInstants(client, plan));
    // 99,700 drops are expected, give or take some hundreds.
    expect(mean(instants.map((each) => each.length))).toBeCloseTo(100, 0);
    expect(Math.abs(mean(instants.flatMap(gaps)) / plan.everyMs - 1)).toBeLessThan(0.02);
  });

  it.each(spreads)(
    'are as many in the first seconds as later, also where there is hardly room between them, %s',
    (spread) => {
      for (const everyMs of [3000, 15_000]) {
        const instants = many.flatMap((client) => dropInstants(client, { ...base, spread, everyMs, lengthMs: 90_000 }));
        const early = instants.filter((atMs) => atMs < 3000).length;
        expect(Math.abs(early / (instants.length / 30) - 1)).toBeLessThan(0.15);
      }
    },
  );

  it('are at one interval where they are fixed, from firsts that differ', () => {
    const fixed = many.map((client) => dropInstants(client, { ...base, spread: 'fixed' }));
    expect(new Set(fixed.map(([first]) => first)).size).toBe(many.length);
    expect(fixed.flatMap(gaps).every((gap) => Math.abs(gap - 15_000) < 0.001)).toBe(true);
  });

  it('of neighbours and of neighbouring seeds have nothing to do with each other', () => {
    const firsts = (seed: number, shift: number): number[] =>
      many.map((client) => dropInstants(client + shift, { ...base, seed, spread: 'fixed' })[0] as number);
    const correlation = (a: readonly number[], b: readonly number[]): number => {
      const [meanA, meanB] = [mean(a), mean(b)];
      const product = (x: readonly number[], mx: number, y: readonly number[], my: number): number =>
        x.reduce((sum, each, n) => sum + (each - mx) * ((y[n] as number) - my), 0);
      return product(a, meanA, b, meanB) / Math.sqrt(product(a, meanA, a, meanA) * product(b, meanB, b, meanB));
    };
    const here = firsts(7, 0);
    expect(Math.abs(correlation(here, firsts(7, 1)))).toBeLessThan(0.12);
    expect(Math.abs(correlation(here, firsts(8, 0)))).toBeLessThan(0.12);
  });

  it('are none in a run of no length', () => {
    expect(dropInstants(3, { ...base, lengthMs: 0 })).toEqual([]);
  });
});
