import { expect, it } from 'vitest';
import { startNs, workerOnStage } from '../worker-on-stage.js';
import { AwayClients } from './away-clients.js';

/** Three clients that are there, on a clock that does not wait; what is asked of them is written down, and every wait is 503 ms long. */
function onStage(reconnects = false) {
  const { context, clock } = workerOnStage({}, { clientCount: 3, subscribeTimeoutMs: 211 });
  const away = new AwayClients(context, { leastMs: 503, backoffMs: 0, backoffMaxMs: 0 });
  const asked: string[] = [];
  away.begin({
    ...(reconnects && { reconnects }),
    open: (client) => void asked.push(`open ${client}`),
    subscribe: (client) => void asked.push(`subscribe ${client}`),
    drop: (client, mode) => void asked.push(`drop ${client} ${mode}`),
    dispose: () => undefined,
  });
  return {
    away,
    /** What was asked of the clients since it was last looked at. */
    asked: () => asked.splice(0),
    /** Does what is due that much later. */
    async after(ms: number) {
      await clock.run(clock.sleep(ms));
      away.tick();
    },
  };
}

it('at first everybody is there, and nothing is due', async () => {
  const { away, asked, after } = onStage();
  await after(10_007);
  expect([away.count, away.has(0), asked()]).toEqual([0, false, []]);
  expect(away.report()).toMatchObject({ counts: { attempts: 0, underWay: 0 }, notBack: {} });
});

it('a client that is cut is opened after its wait, and there once it is subscribed again', async () => {
  const { away, asked, after } = onStage();
  expect(away.closed(1, 'reset')).toBe(true);
  await after(499);
  expect([away.count, away.has(1), asked()]).toEqual([1, true, []]);
  await after(5);
  expect(asked()).toEqual(['open 1']);
  away.opened(1);
  away.ready(1);
  expect(asked()).toEqual(['subscribe 1']);
  expect([away.subscribed(1), away.subscribed(1)]).toEqual([true, false]);
  await after(10_007);
  expect([away.count, away.has(1), asked()]).toEqual([0, false, []]);
  expect(away.report()).toEqual({
    counts: { attempts: 1, failedAttempts: 0, underWay: 0, resumes: 0, recovered: 0 },
    failures: {},
    notBack: {},
  });
});

it('a client that we drop is opened at the time that was said, however late its connection ends', async () => {
  const { away, asked, after } = onStage();
  const { away: late, asked: lateAsked, after: lateAfter } = onStage();
  for (const each of [away, late]) each.drop(2, 'close', startNs + 2e9);
  expect([away.closed(2, 'ours'), away.count, asked()]).toEqual([false, 1, ['drop 2 close']]);
  lateAsked();
  await after(2001);
  await lateAfter(2001);
  expect([asked(), lateAsked()]).toEqual([['open 2'], []]);
  expect(late.report().notBack).toEqual({ 'not yet closed': 1 });
  late.closed(2, 'ours');
  await lateAfter(1);
  expect(lateAsked()).toEqual(['open 2']);
});

it('each failure is counted by cause and waited after; a client that the protocol refused waits longer', async () => {
  const { away, asked, after } = onStage();
  away.closed(0, 'reset');
  await after(503);
  expect([away.closed(0, 'connect-refused'), away.failing]).toEqual([false, 1]);
  await after(503);
  away.closed(0, 'rejected:go away');
  expect(asked()).toEqual(['open 0', 'open 0']);
  await after(2999);
  expect(asked()).toEqual([]);
  expect(away.report().notBack).toEqual({ 'rejected:go away': 1 });
  await after(1);
  expect(asked()).toEqual(['open 0']);
  away.opened(0);
  expect([away.subscribed(0), away.failing]).toEqual([true, 0]);
  const { counts, failures } = away.report();
  expect(counts).toMatchObject({ attempts: 3, failedAttempts: 2 });
  expect(failures).toEqual({ 'connect-refused': 1, 'rejected:go away': 1 });
});

it('a client whose subscription is not confirmed in time is given up, and a confirmation after that is none', async () => {
  const { away, asked, after } = onStage();
  away.closed(0, 'reset');
  await after(503);
  away.opened(0);
  await after(211);
  expect(asked()).toEqual(['open 0', 'drop 0 reset']);
  expect(away.subscribed(0)).toBe(false);
  expect(away.report()).toMatchObject({ counts: { underWay: 1 }, notBack: { 'under way': 1 } });
  away.closed(0, 'ours');
  expect(away.report()).toMatchObject({ counts: { underWay: 0 }, failures: { 'subscribe-timeout': 1 } });
});

it('a library that reconnects is left alone, and its attempts are known by their success', async () => {
  const { away, asked, after } = onStage(true);
  away.closed(0, 'reset');
  away.drop(1, 'reset', 0);
  expect(away.report().notBack).toEqual({ 'left to its library': 1, 'unnoticed by its library': 1 });
  await after(10_007);
  expect(asked()).toEqual(['drop 1 reset']);
  away.opened(0);
  away.resumed(0, true);
  away.resumed(1, true);
  expect(away.subscribed(0)).toBe(true);
  expect(away.report().counts).toMatchObject({ attempts: 1, resumes: 1, recovered: 1 });
});
