import { describe, expect, it } from 'vitest';
import { unknownLimits } from '../../test/machines.js';
import { plannedRun } from '../../test/planned.js';
import { contractVersion } from '../contract/job.js';
import type { ProblemError } from '../contract/problems.js';
import type { ShardInfo } from '../contract/shard.js';
import { readClockId } from '../measure/rig/machine.js';
import { scenarioByName } from '../scenarios/list.js';
import type { Scenario } from '../scenarios/scenario.js';
import type { Availability } from '../targets/launch/programs.js';
import type { Plan } from './plan/plan.js';
import { run } from './run.js';
import { NoAnswer } from './shards/partial-body.js';
import type { ShardClient } from './shards/shard-client.js';

const scenario = scenarioByName('latency') as Scenario;
const info: ShardInfo = {
  ...{ contract: contractVersion, version: '0.1.0', bootId: '49ac5d31', clockId: readClockId() },
  machine: { kernel: 'Linux', cpu: 'AMD', cores: 2, memoryBytes: 7, runtime: 'node' },
  engine: { name: 'native' },
  limits: {
    ...{ clients: 11, publishesPerSecond: 10_000, payloadBytes: 1_000_000, durationMs: 3_600_000 },
    ...{ ...unknownLimits, bodyBytes: 1_000_000, descriptors: 1009, descriptorsUsed: 7 },
  },
  allowTargets: ['loopback'],
  allowsModules: false,
};

/** Runs against a managed target that can't start; gives the codes of the refusal and what was done to the target. */
async function refused(subscribers: number, shard: () => Promise<ShardInfo>, available: Availability) {
  const done: string[] = [];
  const plan = plannedRun(scenario, { flags: { target: 'ws', clients: String(subscribers) }, env: {}, file: {} });
  if (!plan.target.isOurs) throw new Error('ws is a managed target');
  const target: Plan['target'] = {
    ...plan.target,
    target: {
      ...plan.target.target,
      availability: async () => {
        done.push('asked');
        return available;
      },
      start: () => {
        done.push('started');
        return { command: '/nowhere/ws', args: [], env: {} };
      },
    },
  };
  const error = await run(
    { ...plan, target },
    {
      shards: [{ url: 'http://ring:7001', info: shard } as ShardClient],
      ...{ childDescriptors: 1009, interrupt: new AbortController().signal },
      ...{ notKept: () => undefined, progress: () => undefined },
    },
  ).catch((each: unknown) => each);
  return { codes: (error as ProblemError).problems.map(({ code }) => code), done };
}

describe('a managed target', () => {
  const there = { isAvailable: true, version: '8.23.0' } as const;
  const missing = { isAvailable: false, why: 'no binary', hint: 'Bring one.' } as const;
  const heard = async () => info;

  it.each([
    ['the preflight refuses the run', 997, heard, there, ['descriptorLimit', 'descriptorLimit', 'overLimit']],
    ['a shard takes less', 13, heard, there, ['overLimit']],
    ['a shard is silent', 7, () => Promise.reject(new NoAnswer('refused')), there, ['shardUnreachable']],
    ['it is not available', 7, heard, missing, ['targetUnavailable']],
  ] as const)('is not started if %s', async (_why, subscribers, shard, available, codes) => {
    expect(await refused(subscribers, shard, available)).toEqual({ codes, done: ['asked'] });
  });

  it('is asked once whether it is available, and then started', async () => {
    expect(await refused(7, heard, there)).toEqual({ codes: ['targetFailed'], done: ['asked', 'started'] });
  });
});
