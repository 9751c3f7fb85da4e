import { once } from 'node:events';
import net from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { overEngines } from '../../test/doubles/engines.js';
import { WireRecorder } from '../../test/doubles/wire-recorder.js';
import { acceptFor } from './upgrade.js';
import type { Engine } from './wire.js';

const endless = 86_399_993;

/** An unmasked frame whose first byte is `first`. */
const frame = (first: number, text: string): Buffer =>
  Buffer.concat([Buffer.of(first, text.length), Buffer.from(text, 'latin1')]);

/** Opcodes and payloads of masked frames. */
function framesOf(bytes: Buffer): string[] {
  const frames: string[] = [];
  for (let at = 0; at + 6 <= bytes.length; ) {
    const length = (bytes[at + 1] as number) & 0x7f;
    const key = bytes.subarray(at + 2, at + 6);
    const payload = bytes.subarray(at + 6, at + 6 + length).map((byte, i) => byte ^ (key[i & 3] as number));
    frames.push(`${(bytes[at] as number) & 0x0f} ${Buffer.from(payload).toString('latin1')}`);
    at += 6 + length;
  }
  return frames;
}

overEngines((make) => {
  let server: net.Server;
  let engine: Engine;
  let sink: WireRecorder;
  /** What the client said behind its request. */
  let heard: Buffer[];
  let socket: net.Socket;

  afterEach(() => {
    engine.dispose();
    socket?.destroy();
    server.close();
  });

  /** Opens a client of a target that answers the upgrade with what `answer` makes of the accept key. */
  async function open(answer: (accept: string) => Buffer, isEnd = false): Promise<void> {
    heard = [];
    server = net.createServer({ allowHalfOpen: true }, (accepted) => {
      socket = accepted;
      accepted.setNoDelay(true);
      accepted.on('error', () => accepted.destroy());
      accepted.once('data', (request: Buffer) => {
        const key = /Sec-WebSocket-Key: (.*)\r\n/.exec(request.toString())?.[1] ?? '';
        accepted.on('data', (chunk: Buffer) => heard.push(chunk));
        const head = `HTTP/1.1 101 Go\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: `;
        accepted.write(Buffer.concat([Buffer.from(head), answer(acceptFor(key))]));
        if (isEnd) accepted.end();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    sink = new WireRecorder();
    engine = make(
      {
        url: `ws://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
        ...{ subprotocols: [], headers: {}, localAddresses: [], isInsecure: false, connectTimeoutMs: endless },
        ...{ numberOf: (client) => client, capacity: 1, replies: [{ received: '2', send: '3' }] },
        scan: { marker: '#n', sequenceOffset: 2, sequenceDigits: 3 },
      },
      sink,
    );
    engine.open(0);
    await sink.until(() => sink.events.length > 0);
  }

  const said = (): string[] => framesOf(Buffer.concat(heard));
  const behind =
    (...frames: Buffer[]) =>
    (accept: string) =>
      Buffer.concat([Buffer.from(`${accept}\r\n\r\n`), ...frames]);

  it('a refused answer is not followed: no delivery, no answer to a ping or a heartbeat', async () => {
    const frames = [frame(0x81, '#n007'), frame(0x89, 'ping'), frame(0x81, '2'), frame(0x81, '#n013')];
    await open(() => behind(...frames)('c3pPLMBiTxaQ9kYGzzhZRbK+xOo='));
    await expect.poll(() => socket.readableEnded || socket.destroyed).toBe(true);
    expect(sink.events).toEqual(['closed 0 bad-upgrade:accept key false']);
    expect([sink.seen, said()]).toEqual([[], []]);
  });

  it.each([
    ['a close frame', frame(0x88, '\x0f\xa3'), 'close-code:4003', '8 \x0f\xa3'],
    ['a violation', frame(0xc1, 'x'), 'protocol-error:reserved bits set', '8 \x03\xea'],
  ])('%s is answered, though TCP ends with it', async (_name, last, cause, answer) => {
    await open(behind(frame(0x81, '#n007'), last), true);
    await sink.untilEvent(`closed 0 ${cause} true`);
    await expect.poll(said).toEqual([answer]);
    await sink.until(() => sink.seen.length === 1);
  });

  it('nothing that comes behind a violation counts', async () => {
    await open(behind());
    const texts = ['#n007', '\xc3(', '#n013', 'x'];
    socket.write(Buffer.concat([...texts.map((text) => frame(0x81, text)), frame(0x89, 'ping')]));
    await sink.untilEvent('closed 0 protocol-error:text is not UTF-8 true');
    await expect.poll(said).toEqual(['8 \x03\xef']);
    await sink.until(() => sink.seen.length > 0);
    expect(sink.seen.map(({ sequence }) => sequence)).toEqual([7]);
    expect(sink.events).toHaveLength(2);
  });

  it('pings and heartbeats are answered in order, deliveries taken in order, whole or in fragments', async () => {
    await open(behind());
    const rounds = 499;
    for (let round = 0; round < rounds; round++) {
      const number = String(round).padStart(3, '0');
      const isWhole = round % 3 === 0;
      const parts = isWhole
        ? [frame(0x89, `p${number}`), frame(0x81, `#n${number}`)]
        : [frame(0x01, '#n'), frame(0x89, `p${number}`), frame(0x80, number)];
      socket.write(Buffer.concat(parts));
      if (round % 7 === 0) socket.write(frame(0x81, '2'));
      if (round % 2 === 0) await new Promise(setImmediate);
    }
    await sink.until(() => sink.seen.length === rounds);
    const upTo = Array.from({ length: rounds }, (_, round) => round);
    expect(sink.seen.map(({ sequence }) => sequence)).toEqual(upTo);
    const pongs = (): string[] => said().filter((one) => one.startsWith('10 '));
    await expect.poll(pongs).toEqual(upTo.map((round) => `10 p${String(round).padStart(3, '0')}`));
    await expect.poll(() => said().filter((one) => one === '1 3').length).toBe(Math.ceil(rounds / 7));
    expect(sink.events).toEqual(['opened 0']);
  });

  it.each([
    ['drops its client', () => engine.drop(0, 'close', 'rejected:enough'), ['closed 0 rejected:enough true']],
    ['disposes of the engine', () => engine.dispose(), []],
  ])('a sink that %s hears nothing more of what it reads', async (_name, end, more) => {
    await open(behind());
    const { message } = sink;
    sink.message = (client, bytes, isBinary) => {
      message.call(sink, client, bytes, isBinary);
      end();
    };
    const parts = [frame(0x81, '\xc3\xa9'), frame(0x01, 'a'), frame(0x80, 'b'), frame(0x81, '#n007'), frame(0x88, '')];
    socket.write(Buffer.concat(parts));
    await sink.untilEvent('text 0 é');
    await expect.poll(() => socket.readableEnded || socket.destroyed || said().length > 0).toBe(true);
    expect(said()).toEqual(more.length > 0 ? ['8 \x03\xe8'] : []);
    expect(sink.events).toEqual(['opened 0', 'text 0 é', ...more]);
    expect(sink.seen).toEqual([]);
  });
});
