import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { channelAuth, md5, requestSignature, signedQuery } from './signatures.js';

/** The app and the signatures of the examples in Pusher's documentation. */
const app = { key: '278d425bdf160c739803', secret: '7ad3773142a6692b25b8' };

it('signs a private channel as the documentation does', () => {
  expect(channelAuth(app, '1234.1234', 'private-foobar')).toBe(
    '278d425bdf160c739803:58df8b0c36d6982b82c3ecf6b4662e34fe8c25bba48f5369f135bf843651c3a4',
  );
});

it('signs a presence channel with its data as the documentation does', () => {
  const data = '{"user_id":10,"user_info":{"name":"Mr. Channels"}}';
  expect(channelAuth(app, '1234.1234', 'presence-foobar', data)).toBe(
    '278d425bdf160c739803:31935e7d86dba64c2a90aed31fdc61869f9b22ba9d8863bba239c03ca481bc80',
  );
});

it('signs a publish as the documentation does', () => {
  const body = '{"name":"foo","channels":["project-3"],"data":"{\\"some\\":\\"data\\"}"}';
  const query = signedQuery(app, { method: 'POST', path: '/apps/3/events', body }, 1_353_088_179);
  expect(query.split('&')).toEqual([
    'auth_key=278d425bdf160c739803',
    'auth_timestamp=1353088179',
    'auth_version=1.0',
    'body_md5=ec365a775a4cd0599faeb73354201b6f',
    'auth_signature=da454824c97ba181a32ccc17a72625ba02771f50b50e1e7430e47a1f3f457e6c',
  ]);
});

it('names no body where there is none', () => {
  const query = signedQuery(app, { method: 'GET', path: '/apps/3/channels', body: '' }, 7);
  expect(new URLSearchParams(query).has('body_md5')).toBe(false);
});

it('signs the parts of a query in one order, whatever theirs, and by their names in small letters', () => {
  const names = fc.constantFrom('auth_key', 'auth_version', 'Info', 'name', 'zone');
  fc.assert(
    fc.property(fc.uniqueArray(names), fc.string({ maxLength: 13 }), (some, value) => {
      const signatureOf = (list: readonly string[]) =>
        requestSignature(app.secret, 'POST', '/p', new URLSearchParams(list.map((name) => [name, `${value}${name}`])));
      const sorted = some.toSorted((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1));
      const text = sorted.map((name) => `${name.toLowerCase()}=${value}${name}`).join('&');
      const independent = createHmac('sha256', app.secret).update(`POST\n/p\n${text}`).digest('hex');
      expect(signatureOf(some)).toBe(independent);
      expect(signatureOf(some.toReversed())).toBe(independent);
    }),
  );
});

it('has the MD5 of text in UTF-8', () => {
  expect(md5('')).toBe('d41d8cd98f00b204e9800998ecf8427e');
  expect(md5('\u00e9')).toBe(createHash('md5').update(Buffer.of(0xc3, 0xa9)).digest('hex'));
});
