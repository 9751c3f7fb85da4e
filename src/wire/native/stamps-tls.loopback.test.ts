import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeNative } from '../../../test/doubles/engines.js';
import { type RecordedDelivery, WireRecorder } from '../../../test/doubles/wire-recorder.js';
import { Certificates, canCertify } from '../../../test/https-front.js';
import { CuttingProxy } from '../../../test/stage/cutting-proxy.js';
import { acceptance, plainSetup } from '../../../test/stage/raw-stage.js';
import { deliveryFlag, type Engine } from '../wire.js';

const pauseMs = 17;
/** Two clocks are read one behind the other where they are matched. */
const matchNs = 10_000;
const frame = (sequence: number): Buffer =>
  Buffer.concat([Buffer.of(0x81, 5), Buffer.from(`#n${String(sequence).padStart(3, '0')}`)]);

describe.skipIf(makeNative === undefined || !canCertify)('stamps of the native engine over TLS', () => {
  let folder: string;
  let server: tls.Server;
  let proxy: CuttingProxy;
  let engine: Engine;
  let target: tls.TLSSocket;
  let client: net.Socket;
  /** What the target wrote, while a test keeps it back. */
  let held: Buffer[] | undefined;
  const sink = new WireRecorder();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'wire-tls-'));
    server = tls.createServer(new Certificates(folder).of('server'), (socket) => {
      target = socket;
      socket.on('error', () => undefined);
      socket.once('data', (request: Buffer) => socket.write(acceptance(request)));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    proxy = new CuttingProxy((server.address() as net.AddressInfo).port, (bytes, to) => {
      client = to;
      if (held === undefined) to.write(bytes);
      else held.push(bytes);
    });
    const url = `wss://127.0.0.1:${await proxy.listen()}/`;
    engine = makeNative!({ url, ...plainSetup, isInsecure: true, capacity: 1 }, sink);
    engine.open(0);
    await sink.untilEvent('opened 0');
    // The kernel begins to stamp a moment after the first socket has asked for it.
    do await told([[await sealed(frame(999))]]);
    while (sink.seen.at(-1)!.flags & deliveryFlag.unstamped);
  });

  afterAll(() => {
    engine?.dispose();
    proxy?.close();
    server?.close();
    rmSync(folder, { recursive: true });
  });

  /** The record that these bytes become. */
  async function sealed(bytes: Buffer): Promise<Buffer> {
    held = [];
    target.write(bytes);
    const isWhole = (all: Buffer): boolean => all.length > 5 && all.length === 5 + all.readUInt16BE(3);
    while (!isWhole(Buffer.concat(held))) await delay(1);
    const record = Buffer.concat(held);
    held = undefined;
    return record;
  }

  /** Writes each list in one segment, with a pause between; gives when that was, and the deliveries. */
  async function told(segments: Buffer[][]): Promise<{ writes: [number, number][]; deliveries: RecordedDelivery[] }> {
    const before = sink.seen.length;
    const writes: [number, number][] = [];
    for (const [index, parts] of segments.entries()) {
      if (index > 0) await delay(pauseMs);
      const fromNs = performance.now() * 1e6;
      client.write(Buffer.concat(parts));
      writes.push([fromNs, performance.now() * 1e6]);
    }
    await sink.until(() => sink.seen.length > before);
    await delay(pauseMs);
    return { writes, deliveries: sink.seen.slice(before) };
  }

  /** Whether a delivery's interval holds the write of its record's last byte. */
  const holds = ({ notBeforeNs, receivedAtNs }: RecordedDelivery, [fromNs, toNs]: readonly [number, number]): boolean =>
    notBeforeNs <= toNs + matchNs && receivedAtNs >= fromNs - matchNs;
  const isExact = ({ notBeforeNs, receivedAtNs }: RecordedDelivery): boolean => notBeforeNs === receivedAtNs;

  it.each<[string, Buffer[], (records: Buffer[]) => Buffer[][], [segment: number, isExact?: boolean][]]>([
    ['one record in one segment', [frame(1)], ([one]) => [[one!]], [[0, true]]],
    [
      'a record in three segments',
      [frame(1)],
      ([one]) => [[one!.subarray(0, 3)], [one!.subarray(3, 11)], [one!.subarray(11)]],
      [[2, true]],
    ],
    [
      'two records in a segment',
      [frame(1), frame(2)],
      ([one, two]) => [[one!, two!]],
      [
        [0, false],
        [0, true],
      ],
    ],
    [
      'a record and half of the next',
      [frame(1), frame(2)],
      ([one, two]) => [[one!, two!.subarray(0, 9)], [two!.subarray(9)]],
      [
        [0, false],
        [1, true],
      ],
    ],
    [
      'three frames in a record',
      [Buffer.concat([frame(1), frame(2), frame(3)])],
      ([one]) => [[one!]],
      [
        [0, true],
        [0, true],
        [0, true],
      ],
    ],
    [
      'a frame in two records',
      [frame(1).subarray(0, 4), frame(1).subarray(4)],
      ([one, two]) => [[one!], [two!]],
      [[1, true]],
    ],
    [
      'a record with the beginning of a frame',
      [Buffer.concat([frame(1), frame(2).subarray(0, 2)]), frame(2).subarray(2)],
      ([one, two]) => [[one!], [two!]],
      // A thread that lost its core reads both at once.
      [[0], [1, true]],
    ],
  ])('%s', async (_name, plain, cut, expected) => {
    const records: Buffer[] = [];
    for (const bytes of plain) records.push(await sealed(bytes));
    const { writes, deliveries } = await told(cut(records));
    expect(deliveries.map(({ sequence }) => sequence)).toEqual(expected.map((_each, index) => index + 1));
    expect(deliveries.filter((one, index) => !holds(one, writes[expected[index]![0]]!))).toEqual([]);
    const exact = deliveries.map(isExact);
    expect(exact).toEqual(expected.map(([, expectedExact], index) => expectedExact ?? exact[index]));
    expect(deliveries.filter(({ flags }) => flags & deliveryFlag.unstamped)).toEqual([]);
  });

  it('hold the truth in a loop that is blocked, and all of them are stamped', async () => {
    const writes = new Map<number, [number, number]>();
    const before = sink.seen.length;
    const rounds = 201;
    for (let round = 0; round < rounds; round++) {
      const record = await sealed(Buffer.concat([frame(round), frame(500 + round)]));
      const fromNs = performance.now() * 1e6;
      client.write(record);
      writes.set(round, [fromNs, performance.now() * 1e6]);
      if (round % 11 === 0) for (const from = performance.now(); performance.now() - from < 29; );
    }
    await sink.until(() => sink.seen.length === before + 2 * rounds);
    const measured = sink.seen.slice(before);
    expect(measured.filter((one) => !holds(one, writes.get(one.sequence % 500)!))).toEqual([]);
    expect(measured.filter(({ flags }) => flags & deliveryFlag.unstamped)).toEqual([]);
    expect(measured.filter(isExact).length).toBeGreaterThan(rounds);
  });
});
