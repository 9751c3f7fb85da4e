import { isIPv4 } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loopbackSpread, parseAddressRanges, sourceAddresses, withoutSecrets } from './addresses.js';

it('parseAddressRanges reads single addresses and ranges in order, both ends included', () => {
  expect(parseAddressRanges(['10.0.0.7', ' 127.0.0.254 - 127.0.1.1 ', '::1'])).toEqual({
    addresses: ['10.0.0.7', '127.0.0.254', '127.0.0.255', '127.0.1.0', '127.0.1.1', '::1'],
    errors: [],
  });
  expect(parseAddressRanges(['223.255.255.254-224.0.0.0']).addresses).toEqual([
    '223.255.255.254',
    '223.255.255.255',
    '224.0.0.0',
  ]);
  expect(parseAddressRanges([])).toEqual({ addresses: [], errors: [] });
});

it.each([
  '',
  'localhost',
  '127.0.0.256',
  '127.0.0.2-',
  '1.1.1.1-1.1.1.2-1.1.1.3',
  '::1-::3',
  '127.0.0.9-127.0.0.2',
  '10.0.0.0-10.255.255.255',
])('parseAddressRanges says what is wrong with "%s" and reads the others', (text) => {
  const { addresses, errors } = parseAddressRanges(['127.0.0.3', text, '127.0.0.5']);
  expect(addresses).toEqual(['127.0.0.3', '127.0.0.5']);
  expect(errors.length).toBe(1);
  expect(errors[0]).toContain(`"${text}"`);
});

it('parseAddressRanges gives as many different addresses as a range has', () => {
  fc.assert(
    fc.property(fc.ipV4(), fc.nat(997), (first, more) => {
      const from = Buffer.from(first.split('.').map(Number)).readUInt32BE();
      const last = Math.min(from + more, 2 ** 32 - 1);
      const end = Buffer.alloc(4);
      end.writeUInt32BE(last);
      const { addresses } = parseAddressRanges([`${first}-${[...end].join('.')}`]);
      expect(new Set(addresses).size).toBe(last - from + 1);
      expect(addresses.every((address) => isIPv4(address))).toBe(true);
      expect([addresses[0], addresses.at(-1)]).toEqual([first, [...end].join('.')]);
    }),
  );
});

describe('loopbackSpread', () => {
  it.each(['127.0.0.1', '127.13.17.19', 'localhost'])('spreads connections to %s over eight addresses', (host) => {
    expect(loopbackSpread(host, 32_000)).toEqual([2, 3, 4, 5, 6, 7, 8, 9].map((last) => `127.0.0.${last}`));
  });

  it.each(['10.0.0.1', '127.example.com', '::1', 'example.com', '128.0.0.1'])('leaves %s to the kernel', (host) => {
    expect(loopbackSpread(host, 100_003)).toEqual([]);
  });
});

it('sourceAddresses grow with the clients of the run, 4,000 to an address', () => {
  expect(sourceAddresses([], '127.0.0.1', 32_001, 'linux')).toHaveLength(9);
  const many = sourceAddresses([], 'localhost', 1_000_003, 'linux');
  expect([many.length, many[0], many.at(-1)]).toEqual([251, '127.0.0.2', '127.0.0.252']);
});

it('sourceAddresses are those asked for, and none on systems that do not answer for the whole block', () => {
  expect(sourceAddresses(['10.0.0.7'], '127.0.0.1', 100_003, 'linux')).toEqual(['10.0.0.7']);
  expect(sourceAddresses([], '127.0.0.1', 100_003, 'darwin')).toEqual([]);
});

it('leaves out credentials and the query of an address', () => {
  expect(withoutSecrets('wss://user:hunter2@ring.example:3001/ws?jid=token#part')).toBe(
    'wss://ring.example:3001/ws#part',
  );
  expect(withoutSecrets('http://ring:7001')).toBe('http://ring:7001');
  expect(withoutSecrets('http://ring:7001/')).toBe('http://ring:7001/');
});
