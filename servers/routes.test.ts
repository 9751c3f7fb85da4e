import { expect, it } from 'vitest';
import type { TargetStats } from '../src/targets/target.js';
import { naming } from '../test/refusal.js';
import type { Broadcast } from './broadcast.js';
import { answerOther, answerPublish, isPublish, serverTiming } from './routes.js';

const stats = { pid: 7 } as TargetStats;

function serviceWith(published: Broadcast[]) {
  return { publish: (broadcast: Broadcast) => void published.push(broadcast), stats: () => stats };
}

it('publishes once, answers 201 with nothing, and tells how long its publish took', () => {
  const published: Broadcast[] = [];
  expect(answerPublish(serviceWith(published), '{"stream":"s","data":"[3]"}')).toEqual({
    status: 201,
    body: '',
    publishMs: expect.any(Number),
  });
  expect(serverTiming(0.41234)).toBe('publish;dur=0.412');
  expect(published).toEqual([{ stream: 's', data: '[3]', value: [3] }]);
});

it('publishes nothing for a wrong or an overlong body', () => {
  const published: Broadcast[] = [];
  const { status, body } = answerPublish(serviceWith(published), '{}');
  expect([status, JSON.parse(body)]).toEqual([400, { message: naming('"stream"') }]);
  expect(answerPublish(serviceWith(published), undefined).status).toBe(413);
  expect(published).toEqual([]);
});

it('answers health, stats, and 404 for every other method and path', async () => {
  const service = serviceWith([]);
  expect(await answerOther(service, 'GET', '/health')).toEqual({ status: 200, body: '{"status":"ok"}' });
  expect(await answerOther(service, 'GET', '/_stats')).toEqual({ status: 200, body: '{"pid":7}' });
  for (const [method, path] of [
    ['GET', '/'],
    ['POST', '/health'],
    ['GET', '/_broadcast'],
    ['GET', '/health/'],
  ] as const) {
    const { status, body } = await answerOther(service, method, path);
    expect([status, JSON.parse(body)]).toEqual([404, { message: naming(method, path) }]);
  }
});

it('takes only POST /_broadcast for a publish', () => {
  expect(isPublish('POST', '/_broadcast')).toBe(true);
  expect(isPublish('PUT', '/_broadcast')).toBe(false);
  expect(isPublish('POST', '/_broadcast/')).toBe(false);
});
