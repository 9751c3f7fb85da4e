import { describe, expect, it } from 'vitest';
import { naming } from '../../test/refusal.js';
import { audienceOnStage } from '../../test/stage/latency.js';
import { visitedOnStage } from '../../test/stage/visits.js';
import { latency } from './latency.js';
import { loadOptions } from './load-options.js';

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

describe('the declaration of the latency scenario', () => {
  it('names every distribution that a worker records', async () => {
    const { audience } = visitedOnStage();
    const recorded = Object.keys(audience.report().samples);
    expect(Object.keys(latency.metrics).sort()).toEqual(
      [...recorded, 'publishAck', 'publishAckAtLeast', 'publishInTarget', 'publishLag'].sort(),
    );
  });

  it('names a figure for clients that are ready which both progress and report carry', () => {
    const { audience } = audienceOnStage();
    expect(audience.progress()).toHaveProperty('subscribers');
    expect(audience.report().counts).toHaveProperty('subscribers');
  });

  it('has a gate before all that is measured', () => {
    const gates = latency.stages.flatMap(({ gate }) => gate ?? []);
    expect(new Set(gates).size).toBe(gates.length);
    expect(latency.stages.filter(({ isMeasured }) => isMeasured).every(({ gate }) => gate !== undefined)).toBe(true);
  });
});
