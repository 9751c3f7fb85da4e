import { expect, it } from 'vitest';
import { parseTakenPorts, SpareDescriptors } from './machine-limits.js';

it('holds as many as it is told, until they are released', () => {
  const spare = new SpareDescriptors(7);
  expect(spare.size).toBe(7);
  spare.release();
  expect(spare.size).toBe(0);
  spare.release();
  expect(new SpareDescriptors(0).size).toBe(0);
});

const range = { low: 32_768, high: 60_999 };
const head = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
const rest = '00000000:00000000 00:00000000 00000000     0        0 4711 1 0000000000000000 20 4 30 10 -1';
const table = (rows: readonly string[]): string =>
  head + rows.map((each, index) => `${String(index).padStart(4)}: ${each} ${rest}\n`).join('');
const hex = (number: number): string => number.toString(16).toUpperCase().padStart(4, '0');
const many = (count: number, each: (port: string) => string): string[] =>
  Array.from({ length: count }, (_, index) => each(hex(range.low + index)));

it('counts the ports of each source address once, whatever they are connected to, and those in TIME_WAIT', () => {
  const tables = [
    // 127.0.0.9 to 127.0.0.1:80, the same ports to 10.0.0.7:443 in TIME_WAIT, and what listens there.
    table([
      ...many(17, (port) => `0900007F:${port} 0100007F:0050 01`),
      ...many(19, (port) => `0900007F:${port} 0700000A:01BB 06`),
      `0900007F:${hex(range.high)} 00000000:0000 0A`,
      `0900007F:1F90 0100007F:0050 01`,
    ]),
  ];
  expect(parseTakenPorts(tables, range)).toEqual({
    byAddress: { '127.0.0.9': 20 },
    byEndpoint: { '127.0.0.9 127.0.0.1 80': 17, '127.0.0.9 10.0.0.7 443': 19 },
  });
});

it('reads IPv6, and IPv4 within it, and leaves out who has few', () => {
  const loopback = '00000000000000000000000001000000';
  const mapped = '0000000000000000FFFF00000900007F';
  const tables = [
    table(many(15, (port) => `0900007F:${port} 0100007F:0050 01`)),
    table([
      ...many(16, (port) => `${loopback}:${port} ${loopback}:0050 01`),
      `${mapped}:${hex(range.high)} ${mapped.replace('09', '01')}:0050 01`,
      `${'0'.repeat(32)}:${hex(range.high)} ${'0'.repeat(32)}:0000 0A`,
    ]),
  ];
  expect(parseTakenPorts(tables, range)).toEqual({
    byAddress: { '127.0.0.9': 16, '::1': 16 },
    byEndpoint: { '127.0.0.9 127.0.0.1 80': 16, '::1 ::1 80': 16 },
  });
});
