import fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { z } from 'zod';

import {
  contractVersion,
  driverHeader,
  driverName,
  leftBody,
  moduleDigest,
  mostLeftBytes,
  mostModuleBytes,
} from '../contract/job.js';
import { type Problem, type ProblemCode, ProblemError, problem, problemError } from '../contract/problems.js';
import { bootIdHeader, gateBody, type ShardInfo, type ShardNow, sendsQuery, statusQuery } from '../contract/shard.js';
import { readClocks } from '../measure/rig/clock.js';
import { mostSendsInLog, sendLogBytes } from '../measure/samples/mark-table.js';
import { describeEngine } from '../wire/choice.js';
import { AllowList, jobLimits, pageFault, type RunnerOptions, tokenFault } from './allow-list.js';
import { JobStore, ModuleStore } from './job-store.js';
import { machineLimits } from './machine-limits.js';
import { addMetronomeRoutes, type StartMetronome } from './metronome.js';
import type { ShardJob } from './shard-job.js';
import type { Identity } from './shard-self.js';

const statusOf: Partial<Record<ProblemCode, number>> = {
  shardBusy: 409,
  runHeld: 409,
  runTaken: 409,
  keyReused: 409,
  notFound: 404,
  unauthorized: 401,
  fromPage: 403,
  targetNotAllowed: 403,
  modulesNotAllowed: 403,
  runnerEnding: 503,
};

/** Time in which a request must arrive whole. After it the connection is closed. */
const requestWithinMs = 30_000;
const lookForSlowEveryMs = 1000;

/** Replaces the compilers of fastify. Otherwise it loads its validator and serialiser at the start: 40 ms of CPU. */
function noCompiler(): never {
  throw new Error('a route has a schema, and there is no compiler for it');
}

interface ServiceMeans {
  withinMs?: number;
  startMetronome?: StartMetronome;
}

/** Creates the bench-runner's HTTP service. The driver polls the job's status. This event loop makes no load. */
export function createService(
  options: RunnerOptions,
  identity: Identity,
  { withinMs = requestWithinMs, startMetronome }: ServiceMeans = {},
): { service: FastifyInstance; store: JobStore } {
  const allowList = new AllowList(options.allowTargets);
  const modules = new ModuleStore(options.allowsModules);
  const store = new JobStore(identity, options, { allowList, modules });
  const authorize = (request: FastifyRequest, reply: FastifyReply): void => {
    reply.header(bootIdHeader, identity.bootId);
    const found = callerProblem(request, options.token);
    if (found) throw new ProblemError([found]);
  };
  const refuse = (error: unknown, reply: FastifyReply) => {
    const refused = refusalOf(error, reply.request.routeOptions.bodyLimit);
    if (!refused) throw error;
    return reply.code(refused.status).send({ problems: refused.problems });
  };
  const service = fastify({
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    bodyLimit: options.maxBodyBytes,
    forceCloseConnections: true,
    requestTimeout: withinMs,
    // Node applies the longer of the two timeouts to the whole request.
    http: { headersTimeout: withinMs, connectionsCheckingInterval: Math.min(lookForSlowEveryMs, withinMs) },
    // A malformed address matches no route, and no hook runs.
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      try {
        authorize(request, reply);
        throw error;
      } catch (found) {
        return refuse(found, reply);
      }
    },
  });

  service.addHook('onRequest', async (request, reply) => authorize(request, reply));
  service.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, body, parsed) =>
    parsed(null, body),
  );
  service.setNotFoundHandler((request) => {
    throw notFound(`there is no ${request.method} ${request.url}`);
  });
  service.setErrorHandler((error, _request, reply) => refuse(error, reply));

  type Route = { Params: { id: string; name: string; runId: string; digest: string } };
  type Act = (job: ShardJob, request: FastifyRequest<Route>, reply: FastifyReply) => unknown;
  /** Adds a route to a job, whose lease it renews. It answers with the status unless the action returns an answer. */
  const onJob = (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    act: Act,
    bodyLimit = options.maxBodyBytes,
  ): void => {
    const handler = async (request: FastifyRequest<Route>, reply: FastifyReply): Promise<unknown> => {
      const driver = driverOf(request);
      const job = store.find(request.params.id, driver);
      job.holder.hears(driver);
      return (await act(job, request, reply)) ?? job.status();
    };
    service.route<Route>({ method, url: `/jobs/:id${path}`, bodyLimit, handler });
  };

  service.get('/health', () => ({ status: 'ok' }));
  service.get('/info', () => describe(options, identity, allowList));
  service.get('/now', async (request) => {
    const holder = await store.holder(checked(statusQuery, request.query).waitMs);
    return { ...readClocks(), holder } satisfies ShardNow;
  });
  service.post('/jobs', async (request, reply) => {
    const job = await store.take(request.body);
    return reply.code(202).send({ jobId: job.id });
  });
  onJob('GET', '', (job, { query }) => job.news(checked(statusQuery, query).waitMs));
  onJob('POST', '/gates/:name', (job, { params: { name }, body }) => {
    if (!store.openGate(job, name, checked(gateBody, body ?? {})))
      throw notFound(`scenario ${job.job.scenario.name} has no gate ${name}`);
  });
  onJob('GET', '/samples/:name', (job, { params: { name }, headers: { range } }, reply) => {
    const body = job.body(name);
    if (!body) throw notFound(`job ${job.id} has no samples of ${name}, or is not done`);
    const { status, headers, part } = partOfBody(body, range);
    reply.code(status).headers(headers);
    return sentAs(reply, part);
  });
  onJob('DELETE', '', (job) => job.stop('endedByDriver'));
  onJob('POST', '/finish', (job) => job.finish());
  onJob('POST', '/finish/part', (job) => job.finish({ code: 'endedByDriver', evidence: [] }));
  const refuseUndone = (job: ShardJob): void => {
    if (!job.isDone) throw notFound(`job ${job.id} has no result yet`);
  };
  onJob('POST', '/collected', (job) => {
    refuseUndone(job);
    store.fetched(job);
    return {};
  });
  onJob(
    'POST',
    '/left',
    (job, { body }) => {
      refuseUndone(job);
      job.holder.leave(checked(leftBody, body));
      return {};
    },
    mostLeftBytes,
  );
  onJob('GET', '/sends', (job, _request, reply) => sentAs(reply, job.sends()));
  onJob(
    'PUT',
    '/sends',
    (job, { body, query }) => {
      job.learn(bytesIn(body), checked(sendsQuery, query));
      return {};
    },
    sendLogBytes(mostSendsInLog),
  );
  service.get<Route>('/runs/:runId', ({ params }) => store.ofRun(params.runId).state());
  service.post<Route>('/runs/:runId/driver', (request) => {
    const job = store.ofRun(request.params.runId);
    job.holder.take(checked(driverName, driverOf(request)));
    return job.state();
  });
  const onRequest = async (): Promise<void> => modules.refuseUnlessAllowed();
  service.get<Route>('/modules/:digest', { onRequest }, ({ params: { digest } }) => {
    if (!modules.has(digest)) throw notFound('there is no module of this digest');
    return { digest };
  });
  const ofModule = { onRequest, bodyLimit: mostModuleBytes };
  service.put<Route>('/modules/:digest', ofModule, async ({ params, body }, reply) => {
    const digest = checked(moduleDigest, params.digest);
    await modules.put(digest, bytesIn(body));
    return reply.code(201).send({ digest });
  });
  service.addHook('onClose', () => modules.end());
  addMetronomeRoutes(service, { store, allowList, startMetronome });
  return { service, store };
}

function callerProblem(request: FastifyRequest, token: string | undefined): Problem | undefined {
  if (token === undefined) {
    const fault = pageFault(request);
    return fault === undefined ? undefined : problem('fromPage', fault);
  }
  if (request.routeOptions.url === '/health') return undefined;
  const fault = tokenFault(request.headers.authorization, token);
  return fault === undefined ? undefined : problem('unauthorized', fault);
}

function driverOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const name = headers[driverHeader];
  return typeof name === 'string' ? name : undefined;
}

function bytesIn(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  throw problemError('badBody', 'expected content-type: application/octet-stream');
}

function sentAs(reply: FastifyReply, bytes: Uint8Array): Buffer {
  reply.type('application/octet-stream');
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function notFound(text: string): ProblemError {
  return problemError('notFound', text);
}

async function describe(options: RunnerOptions, identity: Identity, allowList: AllowList): Promise<ShardInfo> {
  return {
    contract: contractVersion,
    ...identity,
    engine: await describeEngine(),
    limits: { ...jobLimits(options), ...machineLimits() },
    allowTargets: [...allowList.entries],
    allowsModules: options.allowsModules,
  };
}

function checked<S extends z.ZodType>(schema: S, given: unknown): z.output<S> {
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  throw new ProblemError(read.error.issues.map((issue) => problem('badBody', issue.message)));
}

function refusalOf(
  error: unknown,
  bodyLimit: number | undefined,
): { status: number; problems: readonly Problem[] } | undefined {
  if (error instanceof ProblemError) {
    const code = error.problems[0]?.code ?? 'badBody';
    return { status: statusOf[code] ?? 400, problems: error.problems };
  }
  const status = (error as { statusCode?: number }).statusCode ?? 500;
  if (status === 413)
    return { status, problems: [problem('overLimit', `expected a body of at most ${bodyLimit} bytes`)] };
  return status < 500 ? { status, problems: [problem('badBody', (error as Error).message)] } : undefined;
}

interface BodyPart {
  status: 200 | 206 | 416;
  headers: Record<string, string>;
  part: Uint8Array;
}

/** Answers a `Range` header (RFC 9110, section 14) with the rest after an offset. Any other form gives the whole. */
export function partOfBody(body: Uint8Array, range: string | undefined): BodyPart {
  const from = Number(/^bytes=(\d{1,15})-$/.exec(range ?? '')?.[1] ?? Number.NaN);
  const headers = { 'accept-ranges': 'bytes' };
  if (Number.isNaN(from)) return { status: 200, headers, part: body };
  if (from >= body.length) {
    return {
      status: 416,
      headers: { ...headers, 'content-range': `bytes */${body.length}` },
      part: body.subarray(0, 0),
    };
  }
  const contentRange = `bytes ${from}-${body.length - 1}/${body.length}`;
  return { status: 206, headers: { ...headers, 'content-range': contentRange }, part: body.subarray(from) };
}
