import fastify from 'fastify';
import { expect, it } from 'vitest';
import { ProblemError, problem } from '../contract/problems.js';
import { addSendRoutes } from './send-routes.js';
import type { ShardJob } from './shard-job.js';

function serviceOf() {
  const learned: unknown[] = [];
  const service = fastify();
  addSendRoutes(service, ({ params: { id } }) => {
    if (id !== 'seven') throw new ProblemError([problem('notFound', `there is no job ${id}`)]);
    return {
      sends: () => Uint8Array.of(1, 2, 3).subarray(1),
      learn: (bytes: Uint8Array, clock: object) => learned.push([[...bytes], clock]),
    } as unknown as ShardJob;
  });
  const put = (url: string, body: Buffer | object, type = 'application/octet-stream') =>
    service.inject({ method: 'PUT', url, body, headers: { 'content-type': type } });
  return { service, learned, put };
}

it('gives the sends of a job, and takes those of another shard with the relation of its clock', async () => {
  const { service, learned, put } = serviceOf();
  const { rawPayload } = await service.inject({ method: 'GET', url: '/jobs/seven/sends' });
  expect([...rawPayload]).toEqual([2, 3]);
  for (const query of ['', '?shiftMs=-1.5&errorMs=0.25'])
    expect((await put(`/jobs/seven/sends${query}`, Buffer.from([7, 9]))).statusCode).toBe(200);
  expect(learned).toEqual([
    [[7, 9], {}],
    [[7, 9], { shiftMs: -1.5, errorMs: 0.25 }],
  ]);
});

it('takes nothing else', async () => {
  const { learned, put, service } = serviceOf();
  const answers = await Promise.all([
    put('/jobs/seven/sends', {}, 'application/json'),
    put('/jobs/seven/sends?shiftMs=soon', Buffer.from([7])),
    put('/jobs/seven/sends?errorMs=-1', Buffer.from([7])),
    put('/jobs/eight/sends', Buffer.from([7])),
    service.inject({ method: 'GET', url: '/jobs/eight/sends' }),
  ]);
  expect(answers.map(({ statusCode }) => statusCode).every((status) => status >= 400)).toBe(true);
  expect(learned).toEqual([]);
});
