import { expect, it } from 'vitest';
import { unknownLimits } from '../../../../test/machines.js';
import { named } from '../../../../test/refusal.js';
import { contractVersion } from '../../../contract/job.js';
import type { ProblemError } from '../../../contract/problems.js';
import type { ShardInfo } from '../../../contract/shard.js';
import type { ShardClient } from '../../../run/shards/shard-client.js';
import { findKnees } from './knee.js';
import { planKnee } from './plan.js';

const info: ShardInfo = {
  ...{ contract: contractVersion, version: '0.1.0', bootId: '49ac5d31', clockId: 'another machine' },
  machine: { kernel: 'Linux', cpu: 'AMD', cores: 2, memoryBytes: 7, runtime: 'node' },
  engine: { name: 'native' },
  limits: {
    ...{
      clients: 11,
      publishesPerSecond: 10_000,
      payloadBytes: 1_000_000,
      durationMs: 3_600_000,
      bodyBytes: 1_000_000,
    },
    ...unknownLimits,
  },
  allowTargets: ['loopback'],
};

it('refuses a shard of another machine for a managed target, with every other problem, each once', async () => {
  const shard = { url: 'http://other:9000', info: async () => info } as ShardClient;
  const touched: string[] = [];
  const plan = planKnee({ flags: { target: 'ws', subscribers: ['7,13,17'] }, env: {}, file: {} });
  const error = await findKnees(plan, {
    ...{ shards: [shard], childDescriptors: null, interrupt: new AbortController().signal, notKept: () => undefined },
    progress: () => touched.push('progress'),
    begins: () => touched.push('begins'),
    tried: () => touched.push('tried'),
    kept: () => touched.push('kept'),
  }).catch((each: unknown) => each);
  const { problems } = error as ProblemError;
  expect(problems).toEqual([
    named('targetOutOfReach', 'http://other:9000'),
    named('overLimit', 'http://other:9000', 'clients', 11, 13),
    named('overLimit', 'http://other:9000', 'clients', 11, 17),
  ]);
  expect(touched).toEqual([]);
});
