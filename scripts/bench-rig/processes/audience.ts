import { randomBytes, randomUUID } from 'node:crypto';
import { contractVersion, type JobRequest } from '../../../src/contract/job.js';
import type { clientKinds } from '../../../src/scenarios/load-options.js';
import type { RunningTarget } from '../../../src/targets/launch/process.js';
import type { AudienceCommands } from './audience-child.js';
import { Child } from './child.js';

export type ClientKind = (typeof clientKinds)[number];

/** How many subscribers there are and what they are to receive. */
export interface AudienceShape {
  client: ClientKind;
  subscribers: number;
  warmUp: number;
  broadcasts: number;
  ratePerSecond: number;
}

const rampRatePerSecond = 2000;
const payloadBytes = 200;

/** The job of one audience of a fresh run, for one shard. */
export function audienceJob({ endpoints, target }: RunningTarget, { client, ...options }: AudienceShape): JobRequest {
  const runId = randomBytes(4).toString('hex');
  return {
    contract: contractVersion,
    runId,
    idempotencyKey: randomUUID(),
    driver: `bench-rig/${process.pid}`,
    scenario: 'latency',
    protocol: target.protocol,
    target: { wsUrls: endpoints.wsUrls, publishUrl: endpoints.publishUrl },
    stream: `bench-rig-${runId}`,
    slice: { index: 0, of: 1 },
    seed: 0,
    options: { ...options, payloadBytes, rampRatePerSecond },
    load: { client },
  };
}

/** Runs `work` with a process of its own that holds the job's clients, all subscribed. */
export async function withAudience<T>(
  job: JobRequest,
  signal: AbortSignal,
  work: (audience: Child<AudienceCommands>) => Promise<T>,
): Promise<T> {
  const audience = new Child<AudienceCommands>('./audience-child.js', signal, ['--expose-gc']);
  try {
    await audience.ask('open', job);
    return await work(audience);
  } finally {
    await audience.stop();
  }
}
