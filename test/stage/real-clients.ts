import { setTimeout as delay } from 'node:timers/promises';
import { nowNs } from '../../src/measure/rig/clock.js';
import { MarkTable } from '../../src/measure/samples/mark-table.js';
import { payloadFormat } from '../../src/measure/samples/payload.js';
import { Recorder, StampTable } from '../../src/measure/samples/recorder.js';
import { parseJob } from '../../src/scenarios/job.js';
import type { AudienceContext } from '../../src/scenarios/scenario.js';
import { openClients } from '../../src/worker/clients.js';
import { jobBody } from './job-body.js';

const mostSends = 65_536;

interface Given<O> {
  wsUrls: readonly string[];
  clientCount: number;
  payloadBytes: number;
  protocol?: string;
  /** Of the load: which clients on which engine. */
  load: Record<string, unknown>;
  options: O;
}

/** For tests: what a worker gives an audience, whose clients reach that target over real sockets. */
export function contextWithClients<O>({
  wsUrls,
  clientCount,
  payloadBytes,
  protocol = 'ws-json',
  ...given
}: Given<O>): AudienceContext<O> {
  const job = parseJob(jobBody({ wsUrls, protocol, options: { clients: clientCount }, load: given.load }));
  const format = payloadFormat(job.runId, payloadBytes);
  return {
    ...{ options: given.options, clientCount, totalClients: clientCount, firstClient: 0, seed: job.seed },
    ...{ slice: job.slice, nowNs, sleptNs: () => 0, flow: () => Promise.reject(new Error('no flows')) },
    ...{ load: job.load, stream: job.stream, board: new StampTable(1), recorder: () => new Recorder() },
    marks: new MarkTable(mostSends),
    sleep: (ms, signal) => delay(Math.max(0, ms), undefined, signal && { signal }).catch(() => undefined),
    log: () => undefined,
    giveUp: () => undefined,
    openClients: (events) => openClients(job, format, { first: 0, capacity: clientCount }, events),
  };
}
