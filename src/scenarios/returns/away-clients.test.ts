import { expect, it } from 'vitest';
import { startNs, valuesOf, workerOnStage } from '../../../test/stage/worker-on-stage.js';
import { AwayClients } from './away-clients.js';
import { backoffDelayMs, defaultBackoff } from './options.js';

const firstClient = 11;

/** The wait of a client before its attempt number `attempt` since it was there last. */
const waitMs = (client: number, attempt: number): number =>
  backoffDelayMs({ seed: 7, ...defaultBackoff }, firstClient + client, attempt);

/** Three clients that are there, on a clock that does not wait; what is asked of them is written down. */
function onStage() {
  const { context, clock } = workerOnStage({}, { clientCount: 3, subscribeTimeoutMs: 211 });
  const away = new AwayClients({ ...context, firstClient }, defaultBackoff);
  const asked: string[] = [];
  away.begin({
    open: (client) => void asked.push(`open ${client}`),
    subscribe: (client) => void asked.push(`subscribe ${client}`),
    drop: (client, mode) => {
      asked.push(`drop ${client} ${mode}`);
      away.closed(client, 'ours');
    },
    leastNs: () => 0,
    dispose: () => undefined,
  });
  const after = async (ms: number): Promise<void> => {
    await clock.run(clock.sleep(ms));
    away.tick();
  };
  return {
    away,
    /** What was asked of the clients since it was last looked at. */
    asked: () => asked.splice(0),
    after,
    /** Nobody is opened a microsecond before that wait is over, and the client is when it is. */
    async opensAfter(ms: number, client: number) {
      await after(ms - 0.001);
      expect(asked.splice(0)).toEqual([]);
      await after(0.001);
      expect(asked.splice(0)).toEqual([`open ${client}`]);
    },
    waits: () => valuesOf(away.report().samples.wait),
  };
}

it('at first everybody is there, and nothing is due', async () => {
  const { away, asked, after } = onStage();
  await after(10_007);
  expect([away.count, away.has(0), asked()]).toEqual([0, false, []]);
  expect(away.report()).toMatchObject({ counts: { attempts: 0, underWay: 0 }, notBack: {} });
});

it('a client that is cut is opened after its wait, and there once it is subscribed again', async () => {
  const { away, asked, after, opensAfter } = onStage();
  expect(away.closed(1, 'reset')).toBe(true);
  expect([away.count, away.has(1)]).toEqual([1, true]);
  await opensAfter(waitMs(1, 0), 1);
  away.opened(1);
  away.ready(1);
  expect(asked()).toEqual(['subscribe 1']);
  expect([away.subscribed(1), away.subscribed(1)]).toEqual([true, false]);
  await after(10_007);
  expect([away.count, away.has(1), asked()]).toEqual([0, false, []]);
  expect(away.report()).toMatchObject({
    counts: { attempts: 1, failedAttempts: 0, underWay: 0, resumes: 0, recovered: 0 },
    failures: {},
    notBack: {},
  });
});

it('a client that we drop is opened at the time that was said, without a wait', async () => {
  const { away, asked, after, waits } = onStage();
  away.drop(2, 'close', startNs + 2e9);
  expect([away.count, asked()]).toEqual([1, ['drop 2 close']]);
  await after(1999);
  expect([asked(), away.report().notBack]).toEqual([[], { 'not tried': 1 }]);
  await after(1);
  expect([asked(), waits()]).toEqual([['open 2'], []]);
});

it.each(['rejected:io server disconnect', 'rejected:server_restart', 'close-code:1012', 'end-of-stream', 'reset'])(
  'the waits after a cut by %s, and after each failure of the same kind, are those of the seed',
  async (cause) => {
    const { away, opensAfter, waits } = onStage();
    away.closed(0, cause);
    for (const attempt of [0, 1, 2, 3, 4, 5]) {
      await opensAfter(waitMs(0, attempt), 0);
      if (attempt % 2 === 0) away.opened(0);
      expect(away.closed(0, cause)).toBe(false);
    }
    const drawn = [0, 1, 2, 3, 4, 5, 6].map((attempt) => Math.floor(waitMs(0, attempt) * 1000));
    expect(waits()).toEqual(drawn.sort((a, b) => a - b));
    expect(away.report()).toMatchObject({ counts: { attempts: 6, failedAttempts: 6 }, failures: { [cause]: 6 } });
    expect(away.failing).toBe(1);
  },
);

it('a client that was back begins its waits anew', async () => {
  const { away, opensAfter } = onStage();
  for (const cause of ['reset', 'rejected:go away']) {
    away.closed(2, cause);
    await opensAfter(waitMs(2, 0), 2);
    away.opened(2);
    expect([away.subscribed(2), away.failing]).toEqual([true, 0]);
  }
});

it('a client without a confirmation in time is given up, and a later one does not count', async () => {
  const { away, asked, after, opensAfter } = onStage();
  away.closed(0, 'reset');
  await opensAfter(waitMs(0, 0), 0);
  away.opened(0);
  expect(away.report()).toMatchObject({ counts: { underWay: 1 }, notBack: { 'under way': 1 } });
  await after(211);
  expect(asked()).toEqual(['drop 0 reset']);
  expect(away.subscribed(0)).toBe(false);
  expect(away.report()).toMatchObject({ counts: { underWay: 0 }, failures: { 'subscribe-timeout': 1 } });
  await opensAfter(waitMs(0, 1), 0);
});

it('a client that is dropped late, behind its time to open, is away for no less than nothing', async () => {
  const { away, asked, after } = onStage();
  away.drop(1, 'reset', startNs - 5e6);
  await after(0);
  expect(asked()).toEqual(['drop 1 reset', 'open 1']);
  away.opened(1);
  expect(away.subscribed(1)).toBe(true);
  expect(away.absenceLeastNs(1)).toBe(0);
});
