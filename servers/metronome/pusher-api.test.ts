import { expect, it } from 'vitest';
import { payloadFormat } from '../../src/measure/samples/payload.js';
import { signedQuery } from '../../src/protocols/pusher/signatures.js';
import { pusherDialect } from './dialects/pusher.js';

const format = payloadFormat('0123abcd', 200);
const app = { key: 'app-key', secret: 'app-secret' };
const now = () => Math.floor(Date.now() / 1000);
const event = (sequence: number, channel = 'private-s') => ({
  name: 'message',
  channels: [channel],
  data: format.text(0, sequence),
});
const batchPath = '/apps/app-id/batch_events';

/** Reads a signed body, with what a test changes behind the signature: the broadcasts in it, or the status. */
function read(
  content: unknown,
  { path = '/apps/app-id/events', by = app, seconds = now(), body = JSON.stringify(content), more = '' } = {},
) {
  const query = signedQuery(by, { method: 'POST', path, body: JSON.stringify(content) }, seconds);
  const found = pusherDialect.api!.read({ method: 'POST', path, query: `${query}${more}`, body });
  return Array.isArray(found) ? found.map(({ stream, data }) => [stream, format.sequenceOf(data)]) : found.status;
}

it('takes what is signed right, to channels of all kinds', () => {
  expect(pusherDialect.api?.isOf(batchPath)).toBe(true);
  expect(read(event(0))).toEqual([['s', 0]]);
  expect(read(event(1, 's'))).toEqual([['s', 1]]);
  const batch = { batch: [event(2), { name: 'message', channel: 'presence-s', data: format.text(0, 3) }] };
  expect(read(batch, { path: batchPath })).toEqual([
    ['s', 2],
    ['s', 3],
  ]);
});

it('refuses every wrong signature', () => {
  expect([
    read(event(0), { by: { ...app, secret: 'wrong' } }),
    read(event(0), { by: { ...app, key: 'other' } }),
    read(event(0), { seconds: now() - 3600 }),
    read(event(0), { body: JSON.stringify(event(1)) }),
    read(event(0), { more: '&info=x' }),
  ]).toEqual([401, 401, 401, 401, 401]);
});

it('refuses what it can not publish', () => {
  const eleven = { batch: Array.from({ length: 11 }, (_, sequence) => event(sequence)) };
  expect([
    read({ ...event(0), name: 'news' }),
    read({ ...event(0), data: 7 }),
    read([]),
    read(event(0), { path: '/apps/other/events' }),
    read(eleven, { path: batchPath }),
  ]).toEqual([400, 400, 400, 404, 400]);
});
