import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dialectOf } from './options.js';
import { deliveryHeads, deliveryTest, headOf } from './packet.js';

const chat = { socketioNamespace: '/chat', socketioEvent: 'caf\u00e9 "7"' };

function isDelivery(text: string, options: Record<string, unknown> = {}): boolean {
  const bytes = Buffer.from(`4${text}4`);
  return deliveryTest(dialectOf(options))(bytes, 1, bytes.length - 1);
}

test.each([
  '42["message",{}]',
  '4217["message",{}]',
  '451-["message",{"_placeholder":true,"num":0}]',
  '4511-/,17["message"]',
  '42[ "message", {}]',
  '42["m\\u0065ssage"]',
  '43999999[{}]',
  '461-999999[{}]',
])('%s is a delivery', (text) => {
  expect(isDelivery(text)).toBe(true);
  expect(isDelivery(text, chat)).toBe(false);
});

test.each([{}, chat])('what begins as nearly all deliveries do is one: %o', (options) => {
  const heads = deliveryHeads(dialectOf(options));
  expect(heads.map((head) => isDelivery(`${head},{}]`, options))).toEqual(heads.map(() => true));
});

test.each([
  '42["messages",{}]',
  '42["mess',
  '42["m\\u0065ss',
  '42{"message":1}',
  '42/chat,["message"]',
  '430[{}]',
  '43[{}]',
  '45-["message"]',
  '40{"sid":"message"}',
  '2["message"]',
  '',
])('%s is none', (text) => {
  expect(isDelivery(text)).toBe(false);
});

test.each(['42/chat,["café \\"7\\""]', '42/chat,17["caf\\u00e9 \\"7\\"",1]', '43/chat,999999[]'])(
  '%s is a delivery of its namespace',
  (text) => {
    expect(isDelivery(text, chat)).toBe(true);
    expect(isDelivery(text)).toBe(false);
  },
);

test('law: every part of a head is read, and where the JSON begins', () => {
  const types = fc.constantFrom(0, 1, 2, 3, 4);
  const parts = fc.tuple(types, fc.nat(23), fc.constantFrom('', '/chat', '/a/b'), fc.option(fc.nat()), fc.json());
  fc.assert(
    fc.property(parts, fc.string(), ([plain, binaries, namespace, given, value], before) => {
      const attachments = plain === 2 || plain === 3 ? binaries : 0;
      const id = plain === 2 || plain === 3 ? given : null;
      const type = attachments > 0 ? plain + 3 : plain;
      const json = JSON.stringify([value]);
      const count = attachments > 0 ? `${attachments}-` : '';
      const text = `4${type}${count}${namespace}${namespace && ','}${id ?? ''}${json}`;
      const start = Buffer.byteLength(before);
      const bytes = Buffer.from(`${before}${text}7`);
      const { namespaceStart, namespaceEnd, bodyStart, ...head } = headOf(bytes, start, bytes.length - 1) ?? {};
      expect(head).toEqual({ type, attachments, id: id ?? -1 });
      expect(bytes.toString('utf8', namespaceStart, namespaceEnd)).toBe(namespace);
      expect(bytes.toString('utf8', bodyStart, bytes.length - 1)).toBe(json);
    }),
  );
});
