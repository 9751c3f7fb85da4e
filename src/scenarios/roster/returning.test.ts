import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { valuesOf, workerOnStage } from '../../../test/stage/worker-on-stage.js';
import { planRamp } from './ramp.js';
import { backoffDelayMs, defaultBackoff, planReturns } from './returning.js';
import { createRoster } from './roster.js';

const firstClient = 11;

/** The wait of a client before its attempt number `attempt` since it was there last. */
const waitMs = (client: number, attempt: number): number =>
  backoffDelayMs({ seed: 7, ...defaultBackoff }, firstClient + client, attempt);

/** Three clients that are there, on a clock that does not wait; what is asked of them is written down. */
async function onStage() {
  let isDeaf = false;
  const worker = workerOnStage({}, { clientCount: 3, subscribeTimeoutMs: 211, welcome: () => ({ isDeaf }) });
  const { context, clock, abort, told } = worker;
  const asked: string[] = [];
  const { openClients } = context;
  context.openClients = async (events) => {
    const clients = await openClients(events);
    return {
      ...clients,
      open(client) {
        asked.push(`open ${client}`);
        clients.open(client);
      },
      subscribe(client, stream) {
        asked.push(`subscribe ${client}`);
        if (!isDeaf) clients.subscribe(client, stream);
      },
      drop(client, mode) {
        asked.push(`drop ${client} ${mode}`);
        clients.drop(client, mode);
      },
    };
  };
  const roster = createRoster({ ...context, firstClient }, { deliveries: () => undefined });
  const ramp = planRamp(roster);
  const cuts: string[] = [];
  const returning = planReturns(roster, defaultBackoff, {
    cut: (client, cause) => cuts.push(`${client} ${cause}`),
    back: () => undefined,
  });
  await clock.run(ramp.run(clock.nowNs(), { ratePerSecond: 1e6 }, abort.signal));
  returning.begin();
  asked.splice(0);
  isDeaf = true;
  const after = async (ms: number): Promise<void> => {
    await clock.run(clock.sleep(ms));
    returning.tick();
  };
  return {
    ...worker,
    roster,
    returning,
    cuts,
    /** What was asked of the clients since it was last looked at. */
    asked: () => asked.splice(0),
    after,
    cut: (client: number, cause: string) => told().closed(client, cause, true),
    /** The target opens the connection of a client, and its subscription is asked for. */
    opens(client: number) {
      told().opened(client, 1e6, 3e6, 1e6);
      told().ready(client);
    },
    confirms: (client: number) => told().subscribed(client, 'spring'),
    /** Nobody is opened a microsecond before that wait is over, and the client is when it is. */
    async opensAfter(ms: number, client: number) {
      await after(ms - 0.001);
      expect(asked.splice(0)).toEqual([]);
      await after(0.001);
      expect(asked.splice(0)).toEqual([`open ${client}`]);
    },
    waits: () => valuesOf(returning.report().samples.wait),
  };
}

it('at first everybody is there, and nothing is due', async () => {
  const { returning, roster, asked, after } = await onStage();
  await after(10_007);
  expect([returning.members, returning.away, roster.isThere(0), asked()]).toEqual([3, 0, true, []]);
  expect(returning.report()).toMatchObject({ counts: { attempts: 0, underWay: 0 }, notBack: {} });
});

it('a client that is cut is opened after its wait, and there once it is subscribed again', async () => {
  const { returning, roster, cut, cuts, asked, after, opensAfter, opens, confirms } = await onStage();
  cut(1, 'reset');
  expect([cuts, returning.away, roster.isThere(1)]).toEqual([['1 reset'], 1, false]);
  await opensAfter(waitMs(1, 0), 1);
  opens(1);
  expect(asked()).toEqual(['subscribe 1']);
  confirms(1);
  confirms(1);
  await after(10_007);
  expect([returning.away, roster.isThere(1), asked()]).toEqual([0, true, []]);
  expect(returning.report()).toMatchObject({
    counts: { attempts: 1, failedAttempts: 0, underWay: 0, resumes: 0, recovered: 0 },
    failures: {},
    notBack: {},
  });
});

it('a client that we drop is opened at the time that was said, without a wait', async () => {
  const { returning, cuts, asked, after, waits } = await onStage();
  returning.drop(2, 'close', 2e9);
  expect([returning.away, cuts, asked()]).toEqual([1, [], ['drop 2 close']]);
  await after(1999);
  expect([asked(), returning.report().notBack]).toEqual([[], { 'not tried': 1 }]);
  await after(1);
  expect([asked(), waits()]).toEqual([['open 2'], []]);
});

it.each(['rejected:io server disconnect', 'rejected:server_restart', 'close-code:1012', 'end-of-stream', 'reset'])(
  'the waits after a cut by %s, and after each failure of the same kind, are those of the seed',
  async (cause) => {
    const { returning, cut, cuts, opens, asked, opensAfter, waits } = await onStage();
    cut(0, cause);
    for (const attempt of [0, 1, 2, 3, 4, 5]) {
      await opensAfter(waitMs(0, attempt), 0);
      if (attempt % 2 === 0) opens(0);
      cut(0, cause);
      asked();
    }
    const drawn = [0, 1, 2, 3, 4, 5, 6].map((attempt) => Math.floor(waitMs(0, attempt) * 1000));
    expect(cuts).toEqual([`0 ${cause}`]);
    expect(waits()).toEqual(drawn.sort((a, b) => a - b));
    expect(returning.report()).toMatchObject({ counts: { attempts: 6, failedAttempts: 6 }, failures: { [cause]: 6 } });
  },
);

it('a client that was back begins its waits anew', async () => {
  const { returning, cut, opens, confirms, asked, opensAfter } = await onStage();
  for (const cause of ['reset', 'rejected:go away']) {
    cut(2, cause);
    await opensAfter(waitMs(2, 0), 2);
    opens(2);
    confirms(2);
    asked();
  }
  expect(returning.away).toBe(0);
});

it('each client fails that failed since it was back, once however often, until one is back', async () => {
  const { returning, cut, opens, confirms, after } = await onStage();
  for (const client of [0, 1, 2]) cut(client, 'reset');
  for (const times of [1, 2]) {
    expect(returning.isEachFailing).toBe(times === 2);
    await after(5003);
    for (const client of [0, 1, 2]) cut(client, 'connect-refused');
  }
  await after(5003);
  expect(returning.isEachFailing).toBe(true);
  opens(1);
  confirms(1);
  expect(returning.isEachFailing).toBe(false);
});

it('a client without a confirmation in time is given up, and a later one does not count', async () => {
  const { returning, cut, opens, confirms, asked, after, opensAfter } = await onStage();
  cut(0, 'reset');
  await opensAfter(waitMs(0, 0), 0);
  opens(0);
  asked();
  expect(returning.report()).toMatchObject({ counts: { underWay: 1 }, notBack: { 'under way': 1 } });
  await after(211);
  expect(asked()).toEqual(['drop 0 reset']);
  confirms(0);
  expect(returning.away).toBe(1);
  expect(returning.report()).toMatchObject({ counts: { underWay: 0 }, failures: { 'subscribe-timeout': 1 } });
  await opensAfter(waitMs(0, 1), 0);
});

const seeds = fc.integer({ min: 0, max: 0xffff_ffff });
const clients = fc.integer({ min: 0, max: 9_999_991 });

describe('the wait before an attempt to come back', () => {
  it('lies below the doubled base, and below the longest', () => {
    const attempts = fc.integer({ min: 0, max: 2003 });
    const lengths = fc.integer({ min: 1, max: 600_000 });
    fc.assert(
      fc.property(seeds, clients, attempts, lengths, lengths, (seed, client, attempt, backoffMs, backoffMaxMs) => {
        const delayMs = backoffDelayMs({ seed, backoffMs, backoffMaxMs }, client, attempt);
        expect(delayMs).toBeGreaterThanOrEqual(0);
        expect(delayMs).toBeLessThan(Math.min(backoffMaxMs, backoffMs * 2 ** attempt));
      }),
    );
  });

  it('depends on nothing but seed, client and attempt', () => {
    const attempts = fc.integer({ min: 0, max: 31 });
    fc.assert(
      fc.property(seeds, clients, attempts, (seed, client, attempt) => {
        const share = (backoffMs: number) =>
          backoffDelayMs({ seed, backoffMs, backoffMaxMs: 1e15 }, client, attempt) / (backoffMs * 2 ** attempt);
        expect(share(503)).toBe(share(503));
        expect(share(503)).toBeCloseTo(share(1009), 9);
      }),
    );
  });

  it('is spread evenly over the clients: full jitter leaves no wave', () => {
    const drawn = Array.from({ length: 10_007 }, (_, client) =>
      backoffDelayMs({ seed: 7, backoffMs: 500, backoffMaxMs: 5000 }, client, 1),
    );
    const tenths = new Array<number>(10).fill(0);
    for (const delayMs of drawn) tenths[Math.floor(delayMs / 100)]!++;
    for (const count of tenths) expect(Math.abs(count - 1000.7)).toBeLessThan(150);
  });
});
