import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SendTimes } from '../../measure/samples/recorder.js';
import { type SendBatch, sendFate } from '../../protocols/protocol.js';
import { type SendBook, SendClock, type SendOutlet, type SendPlan } from './send-clock.js';
import { SendSlots } from './send-schedule.js';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const nowNs = (): number => Date.now() * 1e6;

interface Given {
  sendsAhead?: boolean;
  /** Sends that the engine holds at most. */
  most?: number;
  numbers?: number;
}

/** A clock over one socket, with all that it wrote and told its book. */
function clocked({ sendsAhead = false, most = 1000, numbers = 1000 }: Given = {}) {
  const wrote: { atMs: number; message: unknown; dueMs?: number }[] = [];
  const sent: (SendTimes & { number: number })[] = [];
  const unsent: [number, string][] = [];
  const held: { token: number; dueNs: number }[] = [];
  const state = { isOpen: true, takes: true };
  let next = 0;
  const book: SendBook = {
    declare: () => ({ group: 0, name: 0, isNameless: false, kind: 0 }),
    begin: () => (next < numbers ? next++ : undefined),
    sent: (number, times) => void sent.push({ number, ...times }),
    unsent: (number, why) => void unsent.push([number, why]),
  };
  const socket: SendOutlet<string> = {
    send: (message) => {
      if (state.takes) wrote.push({ atMs: Date.now(), message });
      return state.takes;
    },
    sendsAhead,
    sendAt(message, dueNs, token) {
      if (held.length >= most) return false;
      held.push({ token, dueNs });
      wrote.push({ atMs: Date.now(), message, dueMs: dueNs / 1e6 });
      return true;
    },
    buffered: 0,
  };
  const clock = new SendClock<string>(nowNs, book, () => undefined);
  const plan = (dueMs: readonly number[], more: Partial<SendPlan<string>> = {}): SendPlan<string> => ({
    client: 0,
    name: 'key',
    isAnswered: false,
    isExact: false,
    dueNs: (n) => (dueMs[n] === undefined ? undefined : (dueMs[n] as number) * 1e6),
    message: (n, number) => `${n}/${number}`,
    socket: () => (state.isOpen ? socket : undefined),
    ...more,
  });
  /** Reports what the engine held, as it does once sends have left. */
  const report = (fate: number = sendFate.sent): void => {
    const all = held.splice(0);
    const batch: SendBatch = {
      count: all.length,
      client: new Int32Array(all.length),
      token: Int32Array.from(all, ({ token }) => token),
      sentAtNs: Float64Array.from(all, ({ dueNs }) => dueNs + 5),
      writtenAtNs: Float64Array.from(all, ({ dueNs }) => dueNs + 9),
      fate: Uint8Array.from(all, () => fate),
    };
    clock.take(batch);
  };
  return { clock, plan, wrote, sent, unsent, state, report };
}

describe('declared sends', () => {
  it('leave at their instants, in slots of 1 ms, and end', async () => {
    const { clock, plan, wrote, sent } = clocked();
    const sends = clock.start(plan([0.2, 10.3, 10.9, 30]));
    await vi.advanceTimersByTimeAsync(29);
    expect(wrote.map(({ atMs, message }) => [atMs, message])).toEqual([
      [1, '0/0'],
      [11, '1/1'],
      [11, '2/2'],
    ]);
    await vi.advanceTimersByTimeAsync(1);
    await sends.done;
    expect(sends.sent).toBe(4);
    expect(sent.map(({ intendedAtNs }) => intendedAtNs / 1e6)).toEqual([1, 11, 11, 30]);
  });

  it('have instants of their own where asked', async () => {
    const { clock, plan, sent } = clocked();
    clock.start(plan([10.3, 10.9], { isExact: true }));
    await vi.advanceTimersByTimeAsync(20);
    expect(sent.map(({ intendedAtNs }) => intendedAtNs / 1e6)).toEqual([10.3, 10.9]);
  });

  it('catch up in order after a blocked loop, with the instants that were intended', async () => {
    const { clock, plan, sent } = clocked();
    clock.start(plan([10, 20, 30]));
    vi.setSystemTime(500);
    await vi.advanceTimersByTimeAsync(15);
    expect(sent.map(({ number, intendedAtNs }) => [number, intendedAtNs / 1e6])).toEqual([
      [0, 10],
      [1, 20],
      [2, 30],
    ]);
    expect(Math.min(...sent.map(({ sentAtNs }) => sentAtNs / 1e6))).toBeGreaterThanOrEqual(500);
  });

  it('are handed over ahead to an engine that holds them, and done once it reports', async () => {
    const { clock, plan, wrote, sent, report } = clocked({ sendsAhead: true });
    const sends = clock.start(plan([60, 160.4]));
    let isDone = false;
    void sends.done.then(() => {
      isDone = true;
    });
    await vi.advanceTimersByTimeAsync(112);
    expect(wrote.map(({ dueMs }) => dueMs)).toEqual([60, 161]);
    expect(wrote.every(({ atMs, dueMs = 0 }) => atMs < dueMs)).toBe(true);
    expect([isDone, sends.underWay]).toEqual([false, 2]);
    report();
    await sends.done;
    expect(sent.map(({ intendedAtNs, sentAtNs, writtenAtNs }) => [intendedAtNs, sentAtNs, writtenAtNs])).toEqual([
      [60e6, 60e6 + 5, 60e6 + 9],
      [161e6, 161e6 + 5, 161e6 + 9],
    ]);
  });

  it('wait until they are due, with the same number, where an engine can hold no more', async () => {
    const { clock, plan, wrote, sent } = clocked({ sendsAhead: true, most: 1 });
    clock.start(plan([60, 70]));
    await vi.advanceTimersByTimeAsync(65);
    expect(wrote.map(({ message }) => message)).toEqual(['0/0']);
    await vi.advanceTimersByTimeAsync(10);
    expect(wrote.at(-1)).toEqual({ atMs: 70, message: '1/1' });
    expect(sent.map(({ number }) => number)).toEqual([1]);
  });

  it('that wait for an engine are counted as stopped where their schedule is', async () => {
    const { clock, plan, unsent, report } = clocked({ sendsAhead: true, most: 1 });
    const sends = clock.start(plan([60, 70]));
    await vi.advanceTimersByTimeAsync(65);
    sends.stop();
    report();
    await sends.done;
    await vi.advanceTimersByTimeAsync(10);
    expect([unsent, sends.sent]).toEqual([[[1, 'stopped']], 1]);
  });

  it.each([
    ['gone', { isOpen: false, takes: true }],
    ['unread', { isOpen: true, takes: false }],
  ])('that do not leave are counted: %s', async (why, state) => {
    const all = clocked();
    Object.assign(all.state, state);
    const sends = all.clock.start(all.plan([1, 2]));
    await vi.advanceTimersByTimeAsync(5);
    await sends.done;
    expect([all.unsent, sends.sent]).toEqual([
      [
        [0, why],
        [1, why],
      ],
      0,
    ]);
  });

  it('that an engine could not send are counted by their fate', async () => {
    const { clock, plan, unsent, report } = clocked({ sendsAhead: true });
    const sends = clock.start(plan([10]));
    await vi.advanceTimersByTimeAsync(5);
    report(sendFate.gone);
    await sends.done;
    expect([unsent, sends.sent]).toEqual([[[0, 'gone']], 0]);
  });

  it('stop where asked, and where no number is left', async () => {
    const { clock, plan, wrote } = clocked({ numbers: 2 });
    const stopped = clock.start(plan([10, 300]));
    await vi.advanceTimersByTimeAsync(10);
    stopped.stop();
    await stopped.done;
    const short = clock.start(plan([310, 320, 330]));
    await vi.advanceTimersByTimeAsync(400);
    await short.done;
    expect(wrote.map(({ message }) => message)).toEqual(['0/0', '0/1']);
  });
});

class Due {
  behind: Due | undefined;

  constructor(public dueNs: number) {}
}

describe('slots of sends', () => {
  it('give all that is due in order of its slots, and the rest when it is', () => {
    const slots = new SendSlots<Due>();
    for (const ms of [30, 10, 5000, 10]) slots.add(new Due(ms * 1e6));
    const walk = (ms: number): [number[], number] => {
      const seen: number[] = [];
      const nextNs = slots.walk(ms * 1e6, 100e6, (each) => {
        if (each.dueNs <= ms * 1e6) seen.push(each.dueNs / 1e6);
        else slots.add(each);
      });
      return [seen, nextNs / 1e6];
    };
    expect(walk(1)).toEqual([[], 10]);
    expect(walk(20)).toEqual([[10, 10], 30]);
    expect(walk(31)[0]).toEqual([30]);
    expect(walk(5000)).toEqual([[5000], Number.POSITIVE_INFINITY]);
  });

  it('lose nothing, and give nothing before a walk that reaches it', () => {
    const times = fc.array(fc.integer({ min: 0, max: 9000 }), { maxLength: 50 });
    fc.assert(
      fc.property(times, times, fc.integer({ min: 1, max: 3000 }), (first, later, stepMs) => {
        const slots = new SendSlots<Due>();
        const seen: number[] = [];
        for (const ms of first) slots.add(new Due(ms * 1e6));
        let nowMs = 0;
        const walk = (): void => {
          slots.walk(nowMs * 1e6, 100e6, (each) => {
            if (each.dueNs <= (nowMs + 100) * 1e6) seen.push(each.dueNs / 1e6);
            else slots.add(each);
          });
          expect(seen.every((ms) => ms <= nowMs + 100)).toBe(true);
        };
        for (const ms of later) {
          walk();
          slots.add(new Due((nowMs + ms) * 1e6));
          first.push(nowMs + ms);
          nowMs += stepMs;
        }
        nowMs += 10_000;
        walk();
        expect(seen.toSorted((one, other) => one - other)).toEqual(first.toSorted((one, other) => one - other));
      }),
    );
  });

  it('give each send of a schedule ahead of its time, if walked when they say', () => {
    const periods = fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(periods, (all) => {
        const slots = new SendSlots<Due>();
        const left = new Map(all.map((periodMs) => [new Due(periodMs * 1e6), { periodMs, sends: 9 }]));
        for (const each of left.keys()) slots.add(each);
        let nowMs = 0;
        while (nowMs < Number.POSITIVE_INFINITY) {
          const nextNs = slots.walk(nowMs * 1e6, 100e6, (each) => {
            const schedule = left.get(each)!;
            while (each.dueNs <= (nowMs + 100) * 1e6 && schedule.sends > 0) {
              expect(each.dueNs).toBeGreaterThanOrEqual(nowMs * 1e6);
              schedule.sends--;
              each.dueNs += schedule.periodMs * 1e6;
            }
            if (schedule.sends > 0) slots.add(each);
          });
          nowMs = Math.max(nowMs + 1, Math.ceil(nextNs / 1e6));
        }
        expect([...left.values()].map(({ sends }) => sends)).toEqual(all.map(() => 0));
      }),
    );
  });
});
