import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/stage/fake-clock.js';
import { slotOrder, slotTimes } from '../../measure/paired/slots.js';
import { shareOf, shareStart } from '../../measure/share.js';
import { leastSlotMs, offsetOf, RateMeter, roundsOfSends, SendSchedule, sendsIn } from './send-schedule.js';

const shape = { seed: 7, firstClient: 0, clientCount: 13, ratePerSecond: 5, sendsEach: 11 };
const periodNs = 200e6;
const turnsOf = (schedule: SendSchedule): [client: number, number: number, dueNs: number][] =>
  Array.from({ length: schedule.turns }, (_, turn) => {
    const [client, number] = [schedule.clientOf(turn), schedule.numberOf(turn)];
    return [client, number, schedule.dueNs(client, number)];
  });

describe('the offset of a client', () => {
  it('is a function of the seed and the client alone', () => {
    expect(offsetOf(7, 13)).toBe(offsetOf(7, 13));
    expect(offsetOf(7, 13)).not.toBe(offsetOf(8, 13));
  });

  it.each([0, 1, 7, 0xffff_ffff])('lies evenly in its period: seed %i', (seed) => {
    const tenths = new Array<number>(10).fill(0);
    for (let client = 0; client < 10_000; client++) {
      const tenth = Math.floor(offsetOf(seed, client) * 10);
      tenths[tenth] = (tenths[tenth] as number) + 1;
    }
    // Ten standard deviations.
    for (const count of tenths) expect(Math.abs(count - 1000)).toBeLessThan(300);
  });
});

describe('the open schedules of clients', () => {
  it('give every client every send once, a period apart, in order of time', () => {
    const turns = turnsOf(new SendSchedule(shape));
    expect(new Set(turns.map(([client, number]) => `${client} ${number}`)).size).toBe(13 * 11);
    const instants = turns.map(([, , dueNs]) => dueNs);
    expect(instants).toEqual([...instants].sort((a, b) => a - b));
    for (let client = 0; client < 13; client++) {
      const own = turns.filter(([each]) => each === client).map(([, , dueNs]) => dueNs);
      expect(own[0]).toBe(Math.floor(offsetOf(7, client) * periodNs));
      own.forEach((dueNs, number) => void expect(dueNs - (own[0] as number)).toBe(number * periodNs));
    }
  });

  it('do not change with how clients are split', () => {
    const whole = turnsOf(new SendSchedule(shape));
    fc.assert(
      fc.property(fc.constantFrom(1, 2, 7, 13), (of) => {
        const parts = Array.from({ length: of }, (_, index) => {
          const firstClient = shareStart(13, index, of);
          const clientCount = shareOf(13, index, of);
          return turnsOf(new SendSchedule({ ...shape, firstClient, clientCount })).map(
            ([client, ...rest]) => [firstClient + client, ...rest] as const,
          );
        });
        expect(parts.flat().sort(([, , a], [, , b]) => a - b)).toEqual(whole);
      }),
    );
  });

  it('of no client have no turn', () => {
    expect(new SendSchedule({ ...shape, clientCount: 0 }).turns).toBe(0);
  });

  it('send as often as the rate makes in the duration, and once at least', () => {
    expect(sendsIn({ ratePerSecond: 5, durationMs: 3000 })).toBe(15);
    expect(sendsIn({ ratePerSecond: 0.1, durationMs: 1000 })).toBe(1);
    expect(sendsIn({ ratePerSecond: 3, durationMs: 333 })).toBe(1);
  });
});

describe('the schedule of a paired comparison', () => {
  const slotMs = 40;
  const [slotNs, rounds, clients] = [slotMs * 1e6, 11, 13];
  const plan = fc.record({
    seed: fc.integer({ min: 0, max: 0xffff_ffff }),
    targets: fc.integer({ min: 2, max: 7 }),
    of: fc.constantFrom(1, 2, 7, 13),
  });

  it('has each client send once per round within the slot of its target, however clients are split', () => {
    fc.assert(
      fc.property(plan, ({ seed, targets, of }) => {
        const order = slotOrder(seed, targets, rounds);
        for (let target = 0; target < targets; target++) {
          const slots = {
            beginNs: slotTimes({ seed, rounds, slotsMs: Array.from({ length: targets }, () => slotMs) }, target),
            slotMs,
          };
          const sends = Array.from({ length: of }, (_, index) => {
            const firstClient = shareStart(clients, index, of);
            const clientCount = shareOf(clients, index, of);
            const own = turnsOf(
              new SendSchedule({ seed, firstClient, clientCount, slots, ratePerSecond: 5, sendsEach: rounds }),
            );
            const instants = own.map(([, , dueNs]) => dueNs);
            expect(instants).toEqual([...instants].sort((a, b) => a - b));
            return own.map(([client, ...rest]) => [firstClient + client, ...rest] as const);
          }).flat();
          expect(new Set(sends.map(([client, number]) => `${client} ${number}`)).size).toBe(clients * rounds);
          expect(sends).toHaveLength(clients * rounds);
          for (const [, round, dueNs] of sends) {
            const slot = round * targets + order[round]!.indexOf(target);
            expect(dueNs).toBeGreaterThanOrEqual(slot * slotNs);
            // The last fifth is for what is under way.
            expect(dueNs).toBeLessThanOrEqual((slot + 0.8) * slotNs);
          }
        }
      }),
      { numRuns: 20 },
    );
  });

  it('is that many sends of each client, warm-up apart', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 2, max: 240_000 }), (wanted, roundMs) => {
        expect(sendsIn(roundsOfSends({ rounds: wanted, warmUp: 5, roundMs }))).toBe(wanted);
      }),
    );
  });

  it('leaves a round so much time that its sends are no burst', () => {
    expect([7, 50, 1000, 10_000].map((each) => leastSlotMs({ clients: each }))).toEqual([4, 25, 500, 5000]);
  });
});

describe('the walk along a schedule', () => {
  const walked = async (options: { blockMs?: number; abortMs?: number } = {}) => {
    const schedule = new SendSchedule(shape);
    const startNs = 17e9;
    const clock = new FakeClock(startNs);
    const abort = new AbortController();
    if (options.abortMs !== undefined) clock.at(startNs + options.abortMs * 1e6, () => abort.abort());
    const sends: { client: number; number: number; intendedAtNs: number; atNs: number }[] = [];
    let blockedNs = 0;
    const nowNs = (): number => clock.nowNs() + blockedNs;
    const sleep = (ms: number, signal: AbortSignal) => clock.sleep(ms, signal);
    await clock.run(
      schedule.walk(startNs, { nowNs, sleep }, abort.signal, {
        due(client, number, intendedAtNs) {
          sends.push({ client, number, intendedAtNs, atNs: nowNs() });
          if (sends.length === 29) blockedNs = (options.blockMs ?? 0) * 1e6;
        },
      }),
    );
    return { sends, schedule, startNs, clock };
  };

  it('sends all in their order, never early and less than a timer late', async () => {
    const { sends, schedule, startNs } = await walked();
    expect(sends.map(({ client, number, intendedAtNs }) => [client, number, intendedAtNs - startNs])).toEqual(
      turnsOf(schedule),
    );
    for (const { intendedAtNs, atNs } of sends) {
      expect(atNs).toBeGreaterThanOrEqual(intendedAtNs);
      expect(atNs - intendedAtNs).toBeLessThanOrEqual(1e6);
    }
  });

  it('after a stall sends all that fell due, with the instants that were intended', async () => {
    const { sends, schedule, startNs } = await walked({ blockMs: 503 });
    expect(sends.map(({ intendedAtNs }) => intendedAtNs - startNs)).toEqual(
      turnsOf(schedule).map(([, , dueNs]) => dueNs),
    );
    expect(Math.max(...sends.map(({ intendedAtNs, atNs }) => atNs - intendedAtNs))).toBeGreaterThan(400e6);
  });

  it('ends early when the run is ended', async () => {
    const { sends, clock, startNs } = await walked({ abortMs: 701 });
    expect(sends.every(({ atNs }) => atNs <= startNs + 701e6)).toBe(true);
    expect(sends.length).toBeLessThan(13 * 5);
    expect(clock.nowNs()).toBe(startNs + 701e6);
  });
});

describe('the walk along a schedule that hands sends over', () => {
  interface Given {
    sendsEach?: number;
    ratePerSecond?: number;
    canGoAhead?: (client: number, number: number) => boolean;
    blockMs?: number;
    abortMs?: number;
  }

  /** Each turn with when it was handed over, or sent: those that go ahead leave at their instants by themselves. */
  const walked = async ({ canGoAhead = () => true, blockMs = 0, abortMs, ...size }: Given) => {
    const schedule = new SendSchedule({ ...shape, ...size });
    const [startNs, abort] = [17e9, new AbortController()];
    const clock = new FakeClock(startNs);
    if (abortMs !== undefined) clock.at(startNs + abortMs * 1e6, () => abort.abort());
    let [underWay, blockedNs] = [0, 0];
    const nowNs = (): number => clock.nowNs() + blockedNs;
    const turns: { turn: [client: number, number: number, dueNs: number]; isAhead: boolean; atNs: number }[] = [];
    const note = (isAhead: boolean, client: number, number: number, dueNs: number): void => {
      turns.push({ turn: [client, number, dueNs - startNs], isAhead, atNs: nowNs() });
      if (turns.length === 61) blockedNs = blockMs * 1e6;
    };
    await clock.run(
      schedule.walk(startNs, { nowNs, sleep: clock.sleep }, abort.signal, {
        ahead(client, number, dueNs) {
          if (!canGoAhead(client, number)) return false;
          note(true, client, number, dueNs);
          underWay++;
          clock.at(dueNs, () => underWay--);
          return true;
        },
        due: (client, number, dueNs) => note(false, client, number, dueNs),
        isSettled: () => underWay === 0,
      }),
    );
    expect(underWay).toBe(0);
    return { turns, schedule, startNs, clock };
  };

  it.each([0, 99])(
    'has all of them before they are due, in their order, though it is blocked for %i ms',
    async (blockMs) => {
      const { turns, schedule, startNs } = await walked({ blockMs });
      expect(turns.map(({ turn }) => turn)).toEqual(turnsOf(schedule));
      for (const { turn, isAhead, atNs } of turns) expect([isAhead, atNs <= startNs + turn[2]]).toEqual([true, true]);
    },
  );

  it.each([
    ['some clients', (client: number) => client % 3 > 0],
    ['some turns', (client: number, number: number) => (client + number) % 3 > 0],
    ['none', () => false],
  ])('sends itself, once and when it is due, what it cannot hand over: %s', async (_name, canGoAhead) => {
    const { turns, schedule, startNs } = await walked({ canGoAhead, sendsEach: 499, ratePerSecond: 500 });
    const byInstant = turns.map(({ turn }) => turn).sort(([, , a], [, , b]) => a - b);
    expect(byInstant).toEqual(turnsOf(schedule));
    for (const { turn, isAhead, atNs } of turns) {
      expect(isAhead).toBe(canGoAhead(turn[0], turn[1]));
      if (!isAhead) expect(atNs - startNs - turn[2]).toBeGreaterThanOrEqual(0);
      if (!isAhead) expect(atNs - startNs - turn[2]).toBeLessThanOrEqual(1e6);
    }
  });

  it('that is ended early knows of all that was handed over what became of it', async () => {
    const { turns, clock, startNs } = await walked({ abortMs: 701 });
    expect(turns.every(({ atNs }) => atNs <= startNs + 701e6)).toBe(true);
    expect(turns.some(({ turn }) => turn[2] > 701e6)).toBe(true);
    expect(clock.nowNs() - startNs).toBeGreaterThanOrEqual(Math.max(...turns.map(({ turn }) => turn[2])));
    expect(clock.nowNs() - startNs).toBeLessThan(1000e6);
  });
});

describe('a rate', () => {
  it('is that of the intervals between the first and the last event, in whatever order they are told', () => {
    const meter = new RateMeter();
    for (const atNs of [3e9, 1e9, 2e9]) meter.count(atNs);
    expect(meter.perSecond).toBe(1);
  });

  it('has a span, from the first event of one meter to the last of another and an interval for that', () => {
    const [sent, came] = [new RateMeter(), new RateMeter()];
    expect(came.lastsMsFrom(sent, 500)).toBe(0);
    for (const atNs of [1e9, 1.5e9]) sent.count(atNs);
    expect(came.lastsMsFrom(sent, 500)).toBe(0);
    for (const atNs of [1.1e9, 1.6e9]) came.count(atNs);
    expect(came.lastsMsFrom(sent, 500)).toBeCloseTo(1100, 9);
  });

  it('is zero of fewer than two instants', () => {
    const meter = new RateMeter();
    expect(meter.perSecond).toBe(0);
    meter.count(5e9);
    meter.count(5e9);
    expect(meter.perSecond).toBe(0);
  });
});
