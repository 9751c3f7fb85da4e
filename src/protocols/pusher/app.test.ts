import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { law } from '../../../test/law.js';
import { appOf, batching, channelAuth, publishing, requestSignature, signedQuery } from './app.js';

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

/** The app and the signatures of the examples in Pusher's documentation. */
const example = { key: '278d425bdf160c739803', secret: '7ad3773142a6692b25b8' };

it('signs a private channel as the documentation does', () =>
  expect(channelAuth(example, '1234.1234', 'private-foobar')).toBe(
    '278d425bdf160c739803:58df8b0c36d6982b82c3ecf6b4662e34fe8c25bba48f5369f135bf843651c3a4',
  ));

it('signs a presence channel with its data as the documentation does', () => {
  const data = '{"user_id":10,"user_info":{"name":"Mr. Channels"}}';
  expect(channelAuth(example, '1234.1234', 'presence-foobar', data)).toBe(
    '278d425bdf160c739803:31935e7d86dba64c2a90aed31fdc61869f9b22ba9d8863bba239c03ca481bc80',
  );
});

it('signs a publish as the documentation does', () => {
  const body = '{"name":"foo","channels":["project-3"],"data":"{\\"some\\":\\"data\\"}"}';
  const query = signedQuery(example, { method: 'POST', path: '/apps/3/events', body }, 1_353_088_179);
  expect(query.split('&')).toEqual([
    ...['auth_key=278d425bdf160c739803', 'auth_timestamp=1353088179', 'auth_version=1.0'],
    ...['body_md5=ec365a775a4cd0599faeb73354201b6f'],
    ...['auth_signature=da454824c97ba181a32ccc17a72625ba02771f50b50e1e7430e47a1f3f457e6c'],
  ]);
});

it('signs the parts of a query in one order, whatever theirs, and by their names in small letters', () => {
  const names = fc.constantFrom('auth_key', 'auth_version', 'Info', 'name', 'zone');
  law(fc.uniqueArray(names), fc.string({ maxLength: 13 }), (some, value) => {
    const signatureOf = (list: readonly string[]) =>
      requestSignature(
        example.secret,
        'POST',
        '/p',
        new URLSearchParams(list.map((name) => [name, `${value}${name}`])),
      );
    const sorted = some.toSorted((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1));
    const text = sorted.map((name) => `${name.toLowerCase()}=${value}${name}`).join('&');
    const independent = createHmac('sha256', example.secret).update(`POST\n/p\n${text}`).digest('hex');
    expect(signatureOf(some)).toBe(independent);
    expect(signatureOf(some.toReversed())).toBe(independent);
  });
});
