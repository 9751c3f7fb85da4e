import { describe, expect, it } from 'vitest';
import { audienceOnStage } from '../../../test/stage/latency.js';
import { loadOptions } from '../load-options.js';
import { latency } from './index.js';

const load = loadOptions.parse({});

describe('the demand of a latency run', () => {
  it('is the ramp, the schedule with its warm-up, and the drain', () => {
    const options = latency.options.parse({
      subscribers: 1009,
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
});

describe('the declaration of the latency scenario', () => {
  it('names every distribution that a worker records', async () => {
    const { audience } = audienceOnStage();
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
