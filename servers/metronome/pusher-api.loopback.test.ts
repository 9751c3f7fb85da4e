import { request } from 'undici';
import { expect, it } from 'vitest';
import { payloadFormat } from '../../src/measure/samples/payload.js';
import { signedQuery } from '../../src/protocols/pusher/app.js';
import { metronomeRecord, recordPaths } from '../../src/targets/metronome/record.js';
import { workplace } from '../../test/workplace.js';

const place = workplace();
const format = payloadFormat('0123abcd', 200);

/** A metronome that speaks Pusher under these orders, and its record. */
async function started(...orders: string[]) {
  const { port } = await place.serve('servers/metronome/main.js', ['--protocol', 'pusher', ...orders]);
  const record = async (query = '') =>
    metronomeRecord.parse(await (await request(`http://127.0.0.1:${port}${recordPaths.summary}${query}`)).body.json());
  return { port, record };
}

const app = { key: 'app-key', secret: 'app-secret' };
const now = () => Math.floor(Date.now() / 1000);
const event = (sequence: number, channel = 'private-s') => ({
  name: 'message',
  channels: [channel],
  data: format.text(0, sequence),
});

/** Posts a signed body, with what a test changes behind the signature. */
async function posted(
  port: number,
  content: unknown,
  { path = '/apps/app-id/events', by = app, seconds = now(), sent = JSON.stringify(content), more = '' } = {},
): Promise<number> {
  const query = signedQuery(by, { method: 'POST', path, body: JSON.stringify(content) }, seconds);
  const answer = await request(`http://127.0.0.1:${port}${path}?${query}${more}`, { method: 'POST', body: sent });
  await answer.body.dump();
  return answer.statusCode;
}

it('takes what is signed right, and fans it out to channels of all kinds', async () => {
  const { port, record } = await started();
  expect(await posted(port, event(0))).toBe(200);
  expect(await posted(port, event(1, 's'))).toBe(200);
  const batch = { batch: [event(2), { name: 'message', channel: 'presence-s', data: format.text(0, 3) }] };
  expect(await posted(port, batch, { path: '/apps/app-id/batch_events' })).toBe(200);
  const { broadcasts } = await record('?stream=s');
  expect(broadcasts.map(({ sequence }) => sequence)).toEqual([0, 1, 2, 3]);
});

it('refuses every wrong signature, and what it can not publish', async () => {
  const { port, record } = await started();
  const refused = await Promise.all([
    posted(port, event(0), { by: { ...app, secret: 'wrong' } }),
    posted(port, event(0), { by: { ...app, key: 'other' } }),
    posted(port, event(0), { seconds: now() - 3600 }),
    posted(port, event(0), { sent: JSON.stringify(event(1)) }),
    posted(port, event(0), { more: '&info=x' }),
  ]);
  expect(refused).toEqual([401, 401, 401, 401, 401]);
  const unsigned = await request(`http://127.0.0.1:${port}/apps/app-id/events`, { method: 'POST', body: '{}' });
  expect(unsigned.statusCode).toBe(401);
  expect(await posted(port, { ...event(0), name: 'news' })).toBe(400);
  expect(await posted(port, { ...event(0), data: 7 })).toBe(400);
  expect(await posted(port, [])).toBe(400);
  expect(await posted(port, event(0), { path: '/apps/other/events' })).toBe(404);
  const eleven = { batch: Array.from({ length: 11 }, (_, sequence) => event(sequence)) };
  expect(await posted(port, eleven, { path: '/apps/app-id/batch_events' })).toBe(400);
  expect((await record()).totals).toMatchObject({ broadcasts: 0, refusedPublishes: 0 });
});

it('answers 503 to what it refuses by order', async () => {
  const { port, record } = await started('--refuse-publish', '1');
  expect(await posted(port, event(0))).toBe(503);
  expect((await record()).totals).toMatchObject({ broadcasts: 0, refusedPublishes: 1 });
});
