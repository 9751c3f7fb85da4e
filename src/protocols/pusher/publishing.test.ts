import { createHash, createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { appOf } from './options.js';
import { batching, publishing } from './publishing.js';

const app = appOf({ pusherKey: 'k', pusherId: '7', pusherSecret: 's' });
const data = '{"m":"x"}';

it.each([
  ['http://a.test', '/apps/7/events'],
  ['http://a.test/', '/apps/7/events'],
  ['http://a.test/apps/8/events', '/apps/8/events'],
  ['http://a.test/live/apps/8/events', '/live/apps/8/events'],
])('makes a signed publish of %s', (address, path) => {
  const made = publishing(app, new URL(address), () => 1_353_088_179_999)?.('news', data);
  expect(JSON.parse(made!.body)).toEqual({ name: 'message', channels: ['private-news'], data });
  const [to, query] = made!.path.split('?', 2);
  expect(to).toBe(path);
  const hash = createHash('md5').update(made!.body).digest('hex');
  const signed = `auth_key=k&auth_timestamp=1353088179&auth_version=1.0&body_md5=${hash}`;
  const signature = createHmac('sha256', 's').update(`POST\n${path}\n${signed}`).digest('hex');
  expect(query).toBe(`${signed}&auth_signature=${signature}`);
});

it('makes one signed publish of several broadcasts beside that address', () => {
  const { most, requestOf } = batching(app, new URL('http://a.test/live/apps/8/events'), () => 1_353_088_179_999)!;
  expect(most).toBe(10);
  const { path, body } = requestOf('news', [data, '7']);
  const event = { name: 'message', channel: 'private-news' };
  expect(JSON.parse(body)).toEqual({
    batch: [
      { ...event, data },
      { ...event, data: '7' },
    ],
  });
  const [to, query] = path.split('?', 2);
  expect(to).toBe('/live/apps/8/batch_events');
  const hash = createHash('md5').update(body).digest('hex');
  const signed = `auth_key=k&auth_timestamp=1353088179&auth_version=1.0&body_md5=${hash}`;
  const signature = createHmac('sha256', 's').update(`POST\n${to}\n${signed}`).digest('hex');
  expect(query).toBe(`${signed}&auth_signature=${signature}`);
});

it('leaves an address alone that is not of the API', () => {
  for (const path of ['/_broadcast', '/apps', '/apps/7/channels']) {
    const address = new URL(path, 'http://a.test');
    expect([publishing(app, address), batching(app, address)]).toEqual([undefined, undefined]);
  }
});
