import { createHash, createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { appOf } from './options.js';
import { publishing } from './publishing.js';

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

it('leaves an address alone that is not of the API', () => {
  for (const path of ['/_broadcast', '/apps', '/apps/7/channels'])
    expect(publishing(app, new URL(path, 'http://a.test'))).toBeUndefined();
});
