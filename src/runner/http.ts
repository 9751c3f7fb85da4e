import fastify, { type FastifyInstance } from 'fastify';
import { contractVersion } from '../contract/job.js';
import { type Problem, type ProblemCode, ProblemError, problem } from '../contract/problems.js';
import { bootIdHeader, gateBody, type ShardInfo } from '../contract/shard.js';
import { AllowList } from './allow-list.js';
import { carriesToken } from './guard.js';
import type { Identity } from './identity.js';
import { JobStore } from './job-store.js';
import type { RunnerOptions } from './options.js';
import type { ShardJob } from './shard-job.js';
import { descriptorLimit, descriptorsUsed, sourcePorts, takenPorts } from './shard-self.js';

const statusOf: Partial<Record<ProblemCode, number>> = {
  shardBusy: 409,
  notFound: 404,
  unauthorized: 401,
  targetNotAllowed: 403,
};

/** The bench-runner's HTTP service. Every request is short: the driver polls. No load is made on this loop. */
export function createService(
  options: RunnerOptions,
  identity: Identity,
): { service: FastifyInstance; store: JobStore } {
  const allowList = new AllowList(options.allowTargets);
  const store = new JobStore(identity, options, allowList);
  const service = fastify({ bodyLimit: options.maxBodyBytes, forceCloseConnections: true });

  service.addHook('onRequest', async (request, reply) => {
    reply.header(bootIdHeader, identity.bootId);
    if (request.routeOptions.url === '/health' || options.token === undefined) return;
    if (!carriesToken(request.headers.authorization, options.token)) {
      throw new ProblemError([problem('unauthorized', 'the request carries no token of this bench-runner')]);
    }
  });
  service.setNotFoundHandler((request) => {
    throw new ProblemError([problem('notFound', `there is no ${request.method} ${request.url}`)]);
  });
  service.setErrorHandler((error, _request, reply) => {
    const refused = refusalOf(error);
    if (!refused) throw error;
    return reply.code(refused.status).send({ problems: refused.problems });
  });

  const jobOf = (id: string): ShardJob => {
    const job = store.find(id);
    if (!job) throw new ProblemError([problem('notFound', `there is no job ${id} on this bench-runner`)]);
    return job;
  };
  type JobRoute = { Params: { id: string; name: string } };

  service.get('/health', () => ({ status: 'ok' }));
  service.get('/info', (): ShardInfo => describe(options, identity, allowList));
  service.post('/jobs', async (request, reply) => {
    const job = await store.take(request.body);
    return reply.code(202).send({ jobId: job.id });
  });
  service.get<JobRoute>('/jobs/:id', (request) => {
    const job = jobOf(request.params.id);
    job.renew();
    return job.status();
  });
  service.post<JobRoute>('/jobs/:id/gates/:name', (request) => {
    const job = jobOf(request.params.id);
    const body = gateBody.safeParse(request.body ?? {});
    if (!body.success) throw new ProblemError(body.error.issues.map((issue) => problem('badBody', issue.message)));
    if (!job.openGate(request.params.name, body.data)) {
      throw new ProblemError([
        problem('notFound', `scenario ${job.job.scenario.name} has no gate ${request.params.name}`),
      ]);
    }
    job.renew();
    return job.status();
  });
  service.get<JobRoute>('/jobs/:id/samples/:name', (request, reply) => {
    const job = jobOf(request.params.id);
    job.renew();
    const body = job.body(request.params.name);
    if (!body)
      throw new ProblemError([
        problem('notFound', `job ${job.id} has no samples of ${request.params.name}, or is not done`),
      ]);
    return reply.type('application/octet-stream').send(Buffer.from(body.buffer, body.byteOffset, body.byteLength));
  });
  service.delete<JobRoute>('/jobs/:id', (request) => {
    const job = jobOf(request.params.id);
    job.stop('endedByDriver');
    return job.status();
  });
  return { service, store };
}

function describe(options: RunnerOptions, identity: Identity, allowList: AllowList): ShardInfo {
  return {
    contract: contractVersion,
    ...identity,
    limits: {
      clients: options.maxClients,
      publishesPerSecond: options.maxPublishesPerSecond,
      payloadBytes: options.maxPayloadBytes,
      durationMs: options.maxDurationMs,
      bodyBytes: options.maxBodyBytes,
      descriptors: descriptorLimit(),
      descriptorsUsed: descriptorsUsed(),
      sourcePorts: sourcePorts(),
      portsTaken: takenPorts(),
    },
    allowTargets: [...allowList.entries],
  };
}

/** Status and problems of an error that is the caller's; nothing when it is ours. */
function refusalOf(error: unknown): { status: number; problems: readonly Problem[] } | undefined {
  if (error instanceof ProblemError) {
    const code = error.problems[0]?.code ?? 'badBody';
    return { status: statusOf[code] ?? 400, problems: error.problems };
  }
  const status = (error as { statusCode?: number }).statusCode ?? 500;
  return status < 500 ? { status, problems: [problem('badBody', (error as Error).message)] } : undefined;
}
