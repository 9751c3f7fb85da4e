import { describe, expect, it } from 'vitest';
import { naming } from '../../test/refusal.js';
import { audienceOnStage, type Given, startNs } from '../../test/stage/latency.js';
import { broadcastState } from '../measure/samples/recorder.js';
import { latency } from './latency.js';
import { loadOptions } from './load-options.js';
import { soakAndBurst } from './soak-and-burst.js';

const load = loadOptions.parse({});

describe('the demand of a latency run', () => {
  it('is the ramp, the schedule with its warm-up, and the drain', () => {
    const options = latency.options.parse({
      clients: 1009,
      rampRatePerSecond: 250,
      broadcasts: 97,
      warmUp: 3,
      ratePerSecond: 20,
      payloadBytes: 211,
      drainMs: 1999,
    });
    expect(latency.demand(options, load)).toEqual({
      clients: 1009,
      publishesPerSecond: 20,
      payloadBytes: 211,
      broadcasts: 100,
      measuredBroadcasts: 97,
      durationMs: 4036 + 5000 + 1999,
    });
  });

  it('has a client for each visit, whom no gate awaits', () => {
    const options = latency.options.parse({ clients: 11, stages: '1s:7,1s:3,1s:5' });
    expect(latency.demand(options, load).clients).toBe(11 + 9);
    expect(latency.arriving?.(options)).toBe(9);
    expect(latency.independentAtMost(options)).toMatchObject({ connect: 11, arrival: 9 });
  });

  it('is refused where stages last longer than the schedule, and in a paired comparison', () => {
    const options = latency.options.parse({ stages: '5s:7,1ms:7', broadcasts: 97, warmUp: 3, ratePerSecond: 20 });
    expect(latency.contradictions?.(options)).toEqual([naming('--stages', '5s', '5001ms')]);
    expect(latency.contradictions?.({ ...options, stages: '5s:7' })).toEqual([]);
    expect(latency.contradictions?.({ ...options, stages: undefined })).toEqual([]);
    expect(latency.slots?.contradictions?.(options)).toHaveLength(1);
  });
});

describe('the demand of a soak with bursts', () => {
  it('is by default that of Sockudo’s benchmark', () => {
    const options = soakAndBurst.options.parse({});
    expect(soakAndBurst.demand(options, load)).toEqual({
      // 250 who soak, 250 of the burst, and 50 of the second rise.
      clients: 250 + 250 + 50,
      publishesPerSecond: 10,
      payloadBytes: 200,
      broadcasts: 1100,
      measuredBroadcasts: 1090,
      durationMs: 50_000 + 110_000 + 5000,
    });
    expect(soakAndBurst.arriving?.(options)).toBe(300);
  });

  it('has as many broadcasts as the rate makes while the stages last, and one at least', () => {
    const broadcasts = (stages: string, ratePerSecond: number): unknown =>
      soakAndBurst.demand(soakAndBurst.options.parse({ stages, ratePerSecond, warmUp: 3 }), load).measuredBroadcasts;
    expect(broadcasts('2s:7,1500ms:3', 2)).toBe(7 - 3);
    expect(broadcasts('1s:7', 1)).toBe(1);
  });
});

const all = [0, 1, 2, 3, 4, 5, 6];

describe('the ramp of an audience', () => {
  it('ends when every client is subscribed or has failed', async () => {
    const { stage, audience } = audienceOnStage({
      welcome: (client) => (client === 5 ? { refusal: 'http-status:503' } : client === 3 ? { refusal: 'reset' } : {}),
    });
    await stage('ramp');
    expect(audience.progress()).toEqual({ started: 7, subscribers: 5, failed: 2, lost: 0, received: 0 });
    const { counts, causes } = audience.report();
    expect(counts).toMatchObject({ asked: 7, subscribers: 5 });
    expect(causes).toEqual({ connect: { 'http-status:503': 1, reset: 1 }, close: {} });
  });

  it('ends early, without error, when the run is ended', async () => {
    const { stage, abort, clock, audience, sinceStartMs } = audienceOnStage({ welcome: () => ({ isMute: true }) });
    clock.at(startNs + 31e6, () => abort.abort());
    await stage('ramp');
    expect(sinceStartMs()).toBe(31);
    expect(audience.progress()).toMatchObject({ started: 4, subscribers: 0 });
  });

  it('of a worker without clients is over at once', async () => {
    const { stage, sinceStartMs, audience } = audienceOnStage({ clientCount: 0, totalClients: 7 });
    await stage('ramp');
    await stage('publish');
    await stage('drain');
    expect(sinceStartMs()).toBe(0);
    expect(audience.report().counts).toMatchObject({ asked: 0, subscribers: 0 });
  });
});

describe('a client that is cut', () => {
  it('before the first broadcast leaves the audience', async () => {
    const { stage, audience, told } = audienceOnStage();
    await stage('ramp');
    told().closed(3, 'close-code:1013', true);
    await stage('publish');
    const { counts, causes, series } = audience.report();
    expect(counts).toMatchObject({ asked: 7, subscribers: 6 });
    expect(causes).toEqual({ connect: {}, close: { 'close-code:1013': 1 } });
    expect([...(series.missing ?? [])]).toEqual(Array(11).fill(6));
  });

  it('during the broadcasts stays owed what it lost, counted by cause', async () => {
    const { stage, audience, told, deliver, gaveUp } = audienceOnStage();
    await stage('ramp');
    await stage('publish');
    deliver(all, 0, 5);
    told().closed(3, 'reset', true);
    told().closed(4, 'reset', true);
    told().closed(5, 'end-of-stream', true);
    deliver([0, 1, 2, 6], 5, 11);
    const { counts, causes, series } = audience.report();
    expect(counts).toMatchObject({ subscribers: 7, received: 59 });
    expect(causes.close).toEqual({ reset: 2, 'end-of-stream': 1 });
    expect([...(series.missing ?? [])]).toEqual([0, 0, 0, 0, 0, 3, 3, 3, 3, 3, 3]);
    expect(gaveUp).toEqual([]);
  });

  it('and comes back by itself is not counted anew', async () => {
    const { stage, audience, told } = audienceOnStage();
    await stage('ramp');
    await stage('publish');
    told().closed(3, 'reset', true);
    told().opened(3, 1e6, 2e6, 1e6);
    told().ready(3);
    told().subscribed(3, 'spring');
    told().closed(3, 'reset', true);
    expect(audience.progress()).toMatchObject({ subscribers: 6, lost: 1 });
    expect(audience.report().causes.close).toEqual({ reset: 1 });
  });

  it('as the last one of the worker during the broadcasts makes it give up, once', async () => {
    const { stage, told, gaveUp } = audienceOnStage();
    await stage('ramp');
    await stage('publish');
    for (const client of all.slice(1)) told().closed(client, 'reset', true);
    expect(gaveUp).toEqual([]);
    told().closed(0, 'end-of-stream', true);
    told().closed(0, 'end-of-stream', true);
    expect(gaveUp).toEqual([{ code: 'targetGone', evidence: naming('end-of-stream') }]);
  });

  it('as the last one before the broadcasts makes it give up when they begin', async () => {
    const { stage, told, gaveUp } = audienceOnStage();
    await stage('ramp');
    for (const client of all) told().closed(client, 'reset', true);
    await stage('publish');
    expect(gaveUp).toEqual([{ code: 'targetGone', evidence: expect.any(String) }]);
  });
});

describe('the drain of an audience', () => {
  const ready = async (given: Given = {}) => {
    const set = audienceOnStage(given);
    await set.stage('ramp');
    await set.stage('publish');
    const startMs = set.sinceStartMs();
    return { ...set, drainedMs: () => set.sinceStartMs() - startMs };
  };

  it('ends as soon as nothing is missing', async () => {
    const { stage, deliver, drainedMs, clock, audience } = await ready();
    deliver(all, 0, 10);
    clock.at(clock.nowNs() + 101e6, () => deliver(all, 10, 11));
    await stage('drain');
    expect(drainedMs()).toBeGreaterThanOrEqual(101);
    expect(drainedMs()).toBeLessThanOrEqual(106);
    expect(audience.report().counts).toMatchObject({ received: 77, late: 0 });
  });

  it('awaits nothing that an end of the run left unsent', async () => {
    const { stage, deliver, drainedMs, audience, context } = await ready();
    context.board.state.fill(broadcastState.acked, 0, 7).fill(broadcastState.never, 7);
    deliver(all, 0, 7);
    await stage('drain');
    expect(drainedMs()).toBe(0);
    expect(audience.report().counts).toMatchObject({ received: 49, late: 0 });
  });

  it('lasts as long as it may when something is; what comes later is late', async () => {
    const { stage, deliver, drainedMs, audience } = await ready();
    deliver(all.slice(1), 0, 11);
    await stage('drain');
    expect(drainedMs()).toBeGreaterThanOrEqual(499);
    expect(drainedMs()).toBeLessThan(499 + 5);
    deliver([0], 0, 11);
    expect(audience.report().counts).toMatchObject({ received: 66, late: 11 });
  });

  it('waits for those that are left, whatever the ones that were cut had received', async () => {
    const { stage, told, deliver, drainedMs, clock, audience } = await ready({ clientCount: 2 });
    deliver([0, 1], 0, 6);
    told().closed(0, 'reset', true);
    clock.at(clock.nowNs() + 211e6, () => deliver([1], 6, 11));
    await stage('drain');
    expect(drainedMs()).toBeGreaterThanOrEqual(211);
    expect(drainedMs()).toBeLessThanOrEqual(216);
    expect(audience.report().counts).toMatchObject({ received: 17, late: 0 });
  });

  it('does not wait when nobody is left', async () => {
    const { stage, told, drainedMs } = await ready({ clientCount: 2 });
    told().closed(0, 'reset', true);
    told().closed(1, 'reset', true);
    await stage('drain');
    expect(drainedMs()).toBe(0);
  });

  it('ends early, without error, when the run is ended', async () => {
    const { stage, abort, clock, drainedMs } = await ready();
    clock.at(clock.nowNs() + 29e6, () => abort.abort());
    await stage('drain');
    expect(drainedMs()).toBe(29);
  });
});
