import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startNs, valuesOf, type WorkerGiven, workerOnStage } from '../../../test/stage/worker-on-stage.js';
import { dueAtNs } from '../traffic/schedule.js';
import { planRamp, type RampPlan } from './ramp.js';
import { createRoster } from './roster.js';

function rampOnStage(given: WorkerGiven = {}) {
  const worker = workerOnStage({}, given);
  const subscribedAtMs: number[] = [];
  const lost: string[] = [];
  const roster = createRoster(worker.context, { deliveries: () => undefined });
  const fixed = planRamp(roster, {
    subscribed: () => subscribedAtMs.push(worker.sinceStartMs()),
    lost: (client, cause) => lost.push(`${client} ${cause}`),
  });
  const ramp = (plan: RampPlan) => worker.clock.run(fixed.run(startNs, plan, worker.abort.signal));
  const wait = (ms: number) => worker.clock.run(worker.clock.sleep(ms));
  return { ...worker, roster, fixed, subscribedAtMs, lost, ramp, wait };
}

const sum = (values: readonly number[] = []): number => values.reduce((total, value) => total + value, 0);
const tickNs = 5e6;

describe('a ramp', () => {
  it('is even, whatever the worker’s share: each client at the first tick at which it is due', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 53 }),
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 11, max: 20_011 }),
        async (clientCount, shares, ratePerSecond) => {
          const { ramp, opens } = rampOnStage({ clientCount, totalClients: clientCount * shares });
          await ramp({ ratePerSecond });
          expect(opens.map(([client]) => client)).toEqual(Array.from({ length: clientCount }, (_, n) => n));
          for (const [client, atMs] of opens) {
            const dueNs = dueAtNs(client, ratePerSecond / shares);
            expect(atMs * 1e6).toBeGreaterThanOrEqual(dueNs - 1);
            expect(atMs * 1e6).toBeLessThan(dueNs + tickNs + 1);
          }
        },
      ),
      { numRuns: 53 },
    );
  });

  it('has no more clients on their way than is allowed, and as many as that', async () => {
    const stage = rampOnStage({ clientCount: 101, welcome: () => ({ openAfterMs: 13, confirmAfterMs: 4 }) });
    await stage.ramp({ ratePerSecond: 20_011, maxPending: 7 });
    const pending = stage.opens.map(
      ([client, openedAtMs]) => client + 1 - stage.subscribedAtMs.filter((atMs) => atMs <= openedAtMs).length,
    );
    expect(Math.max(...pending)).toBe(7);
    expect(stage.roster.there).toBe(101);
  });

  it('of a bound alone starts the next client the moment one is through', async () => {
    const stage = rampOnStage({ clientCount: 101, welcome: () => ({ openAfterMs: 1, confirmAfterMs: 1 }) });
    await stage.ramp({ ratePerSecond: 1e9, maxPending: 3 });
    // The first alone, the others from the first look of the ramp after 1 ms on: 34 rounds of three, 2 ms each.
    expect(stage.subscribedAtMs.at(-1)).toBe(1 + 34 * 2);
  });

  it('of a bound alone goes on past clients that fail, also at once', async () => {
    const stage = rampOnStage({
      clientCount: 101,
      welcome: (client) => (client % 3 === 1 ? { refusal: 'reset', openAfterMs: 0 } : {}),
    });
    await stage.ramp({ ratePerSecond: 1e9, maxPending: 2 });
    expect(stage.fixed.report().counts).toMatchObject({ started: 101, opened: 67, failed: 34 });
    expect(stage.opens.map(([client]) => client)).toEqual(Array.from({ length: 101 }, (_, n) => n));
  });

  it('opens a client once that fails while it is being opened', async () => {
    const stage = rampOnStage({ clientCount: 7, welcome: () => ({ isDeaf: true }) });
    const { openClients } = stage.context;
    stage.context.openClients = async (events) => {
      const clients = await openClients(events);
      return {
        ...clients,
        open(client) {
          clients.open(client);
          events.closed(client, 'ports-exhausted', false);
        },
      };
    };
    await stage.ramp({ ratePerSecond: 1e9, maxPending: 1 });
    expect(stage.opens.map(([client]) => client)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(stage.fixed.report().counts).toMatchObject({ started: 7, failed: 7 });
  });

  it('times each part: TCP, upgrade, subscription, and the whole from the start', async () => {
    const stage = rampOnStage({ clientCount: 3, welcome: (n) => ({ openAfterMs: 3, confirmAfterMs: 7 + n }) });
    await stage.ramp({ ratePerSecond: 101 });
    const { samples } = stage.fixed.report();
    expect(valuesOf(samples.tcp)).toEqual([1000, 1000, 1000]);
    expect(valuesOf(samples.connect)).toEqual([3000, 3000, 3000]);
    expect(valuesOf(samples.subscribe)).toEqual([7000, 8000, 9000]);
    expect(valuesOf(samples.handshake)).toEqual([10_000, 11_000, 12_000]);
  });

  it('leaves the time of TCP out where a library does not show it', async () => {
    const stage = rampOnStage({ clientCount: 1, welcome: () => ({ isDeaf: true }) });
    stage.at(11, () => {
      stage.told().opened(0, Number.NaN, 11e6, Number.NaN);
      stage.told().subscribed(0, 'spring');
    });
    await stage.ramp({ ratePerSecond: 101 });
    const { samples } = stage.fixed.report();
    expect([valuesOf(samples.tcp), valuesOf(samples.connect)]).toEqual([[], [11_000]]);
  });
});

describe('a target that stalls', () => {
  const plan = { ratePerSecond: 100, stallMs: 499 };

  it('ends the ramp; who is on the way has failed, and who was not started is not counted', async () => {
    const stage = rampOnStage({
      clientCount: 1009,
      welcome: (n) => (n < 5 ? {} : n === 7 ? { isMute: true } : { isDeaf: true }),
    });
    await stage.ramp({ ...plan, maxPending: 11 });
    // Client 4 was subscribed at 45 ms.
    expect(stage.sinceStartMs()).toBeGreaterThan(45 + 499);
    expect(stage.sinceStartMs()).toBeLessThanOrEqual(45 + 499 + 10);
    const { counts, causes, timeline } = stage.fixed.report();
    expect(counts).toEqual({ asked: 1009, started: 16, opened: 5, open: 5, failed: 11 });
    expect(causes).toEqual({ connect: { 'connect-timeout': 10, 'subscribe-timeout': 1 }, close: {} });
    expect(timeline).toEqual({ opened: [5], 'failed connect-timeout': [10], 'failed subscribe-timeout': [1] });
    expect(stage.drops).toEqual(Array.from({ length: 11 }, (_, n) => `${n + 5} reset`));
  });

  it('is not one that has nothing to do', async () => {
    const stage = rampOnStage({ clientCount: 5 });
    await stage.ramp({ ratePerSecond: 1, stallMs: 499 });
    expect(stage.fixed.report().counts).toMatchObject({ opened: 5, failed: 0 });
  });

  it('is not one that leaves a client waiting while others come in', async () => {
    const stage = rampOnStage({ clientCount: 101, welcome: (n) => (n === 3 ? { isDeaf: true } : {}) });
    await stage.ramp(plan);
    expect(stage.fixed.report().counts).toMatchObject({ started: 101, opened: 100, failed: 1 });
    expect(stage.sinceStartMs()).toBeGreaterThan(1000 + 499);
  });

  it('refuses nobody after the ramp: what comes late changes nothing', async () => {
    const stage = rampOnStage({ clientCount: 3, welcome: (n) => (n === 2 ? { isDeaf: true } : {}) });
    await stage.ramp(plan);
    stage.told().opened(2, 1e6, 3e6, 1e6);
    stage.told().subscribed(2, 'spring');
    stage.told().closed(2, 'reset', true);
    expect(stage.fixed.report()).toMatchObject({
      counts: { opened: 2, open: 2, failed: 1 },
      causes: { connect: { 'connect-timeout': 1 }, close: {} },
    });
  });
});

it('a run that is ended blames no timeout for the clients that it abandons', async () => {
  const stage = rampOnStage({ clientCount: 11, welcome: (n) => (n < 2 ? {} : { isDeaf: true }) });
  stage.at(43, () => stage.abort.abort());
  await stage.ramp({ ratePerSecond: 100, stallMs: 499 });
  expect(stage.sinceStartMs()).toBe(43);
  expect(stage.fixed.report()).toMatchObject({
    counts: { asked: 11, started: 5, opened: 2, failed: 3 },
    causes: { connect: { ours: 3 } },
  });
});

describe('the books of a ramp', () => {
  it('count every end by cause and second, of those who were in and of those who never came in', async () => {
    const stage = rampOnStage({
      clientCount: 7,
      welcome: (n) => (n % 3 === 2 ? { refusal: 'http-status:503', openAfterMs: 1501 } : {}),
    });
    stage.at(2203, () => stage.told().closed(0, 'close-code:1001', true));
    stage.at(2207, () => stage.told().closed(6, 'close-code:1001', true));
    stage.at(3011, () => stage.told().closed(3, 'reset', true));
    await stage.ramp({ ratePerSecond: 101 });
    await stage.wait(3001);
    const { counts, causes, timeline } = stage.fixed.report();
    expect(counts).toEqual({ asked: 7, started: 7, opened: 5, open: 2, failed: 2 });
    expect(causes).toEqual({ connect: { 'http-status:503': 2 }, close: { 'close-code:1001': 2, reset: 1 } });
    expect(timeline).toEqual({
      opened: [5],
      'failed http-status:503': [0, 2],
      'closed close-code:1001': [0, 0, 2],
      'closed reset': [0, 0, 0, 1],
    });
    expect(stage.lost).toEqual(['0 close-code:1001', '6 close-code:1001', '3 reset']);
    expect(stage.fixed.progress()).toEqual({ started: 7, subscribers: 2, failed: 2, lost: 3 });
    expect([0, 1, 6].map((client) => stage.roster.isSubscribed(client))).toEqual([false, true, false]);
  });

  it('count an end once, however often it is told', async () => {
    const stage = rampOnStage({ clientCount: 3 });
    await stage.ramp({ ratePerSecond: 101 });
    stage.told().closed(1, 'reset', true);
    stage.told().closed(1, 'end-of-stream', true);
    expect(stage.fixed.report()).toMatchObject({ counts: { open: 2 }, causes: { close: { reset: 1 } } });
  });

  it('keep the gauge: opened less closed is what is open, at the end of every second', async () => {
    const client = fc.record({
      openAfterMs: fc.nat({ max: 2999 }),
      isRefused: fc.boolean(),
      cutAfterMs: fc.option(fc.nat({ max: 3999 })),
      cause: fc.constantFrom('reset', 'close-code:1001', 'end-of-stream'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(client, { minLength: 1, maxLength: 31 }), async (clients) => {
        // Quarters and halves of a millisecond keep every event off the edges of the seconds.
        const stage = rampOnStage({
          clientCount: clients.length,
          welcome: (n) => {
            const { openAfterMs, isRefused } = clients[n]!;
            return { openAfterMs: openAfterMs + 0.25, confirmAfterMs: 0.25, ...(isRefused && { refusal: 'reset' }) };
          },
        });
        clients.forEach(({ cutAfterMs, cause, isRefused }, n) => {
          if (cutAfterMs !== null && !isRefused)
            stage.at(4003.25 + cutAfterMs, () => stage.told().closed(n, cause, true));
        });
        const openAt: number[] = [];
        for (let second = 1; second <= 9; second++) stage.at(second * 1000, () => openAt.push(stage.roster.there));
        await stage.ramp({ ratePerSecond: 101 });
        await stage.wait(9001);
        const { timeline, counts } = stage.fixed.report();
        const until = (name: string, second: number): number => sum(timeline[name]?.slice(0, second));
        openAt.forEach((open, index) => {
          const closed = Object.keys(timeline).filter((name) => name.startsWith('closed '));
          expect(until('opened', index + 1) - sum(closed.map((name) => until(name, index + 1)))).toBe(open);
        });
        expect(counts.open).toBe(openAt.at(-1));
      }),
      { numRuns: 53 },
    );
  });
});
