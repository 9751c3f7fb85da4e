import { randomBytes, randomUUID } from 'node:crypto';
import { contractVersion, type JobRequest } from '../../../src/contract/job.js';
import { thisDriver } from '../../../src/run/shards/shard-identity.js';
import type { clientKinds } from '../../../src/scenarios/load-options.js';
import type { RunningTarget } from '../../../src/targets/launch/process.js';
import type { AudienceCommands } from './audience-child.js';
import { MeasuredProcess } from './child.js';

export type ClientKind = (typeof clientKinds)[number];

/** Returns the job of one audience of a fresh run, for one shard. By default it publishes nothing. */
export function audienceJob(
  { endpoints, target }: Pick<RunningTarget, 'endpoints' | 'target'>,
  client: ClientKind,
  subscribers: number,
  publishing = { warmUp: 0, broadcasts: 1, ratePerSecond: 1 },
): JobRequest {
  const runId = randomBytes(4).toString('hex');
  return {
    contract: contractVersion,
    runId,
    idempotencyKey: randomUUID(),
    driver: thisDriver,
    scenario: 'latency',
    protocol: target.protocol,
    target: { wsUrls: endpoints.wsUrls, publishUrl: endpoints.publishUrl },
    stream: `bench-rig-${runId}`,
    slice: { index: 0, of: 1 },
    seed: 0,
    options: { subscribers, ...publishing, payloadBytes: 200, rampRatePerSecond: 2000 },
    load: { client },
  };
}

/** Runs `work` with a process of its own that holds the job's clients, all subscribed. */
export async function withAudience<T>(
  job: JobRequest,
  signal: AbortSignal,
  work: (audience: MeasuredProcess<AudienceCommands>) => Promise<T>,
): Promise<T> {
  const audience = new MeasuredProcess<AudienceCommands>('bench-rig/processes/audience-child.js', signal, [
    '--expose-gc',
  ]);
  try {
    await audience.ask('open', job);
    return await work(audience);
  } finally {
    await audience.stop();
  }
}
