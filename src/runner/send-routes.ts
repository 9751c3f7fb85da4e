import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError, problem } from '../contract/problems.js';
import { sendsQuery } from '../contract/shard.js';
import { mostSendsInLog, sendLogBytes } from '../measure/samples/mark-table.js';
import type { ShardJob } from './shard-job.js';

type JobRequest = FastifyRequest<{ Params: { id: string } }>;

/** Adds the routes by which the driver tells each shard what the others sent to its clients. */
export function addSendRoutes(service: FastifyInstance, jobOf: (request: JobRequest) => ShardJob): void {
  const url = '/jobs/:id/sends';
  service.register((routes, _options, done) => {
    // Other routes take only JSON.
    routes.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, body, parsed) =>
      parsed(null, body),
    );
    routes.get<{ Params: { id: string } }>(url, (request, reply) => {
      const body = jobOf(request).sends();
      reply.type('application/octet-stream');
      return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    });
    routes.put<{ Params: { id: string } }>(url, { bodyLimit: sendLogBytes(mostSendsInLog) }, (request) => {
      const job = jobOf(request);
      const query = sendsQuery.safeParse(request.query);
      if (!query.success) throw new ProblemError([problem('badBody', query.error.issues[0]?.message ?? 'a query')]);
      if (!(request.body instanceof Uint8Array))
        throw new ProblemError([problem('badBody', 'expected content-type: application/octet-stream')]);
      job.learn(request.body, query.data);
      return {};
    });
    done();
  });
}
