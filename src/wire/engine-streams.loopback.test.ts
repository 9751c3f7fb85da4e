import type net from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { overEngines } from '../../test/doubles/engines.js';
import { acceptance, RawStage, unmasked } from '../../test/stage/raw-stage.js';

/** An unmasked frame whose first byte is `first`. */
const frame = (first: number, text: string): Buffer =>
  Buffer.concat([Buffer.of(first, text.length), Buffer.from(text, 'latin1')]);

overEngines((make) => {
  const stage = new RawStage(make);
  const socket = (): net.Socket => stage.sockets.at(-1)!;
  /** What the client said behind its request. */
  let heard: Buffer[];

  /** Opens a client of a target that answers the upgrade with what `answer` makes of the 101. */
  async function open(answer: (head: string) => Buffer, isEnd = false): Promise<void> {
    heard = [];
    const answering = (accepted: net.Socket) => (request: Buffer) => {
      accepted.on('data', (chunk: Buffer) => heard.push(chunk));
      accepted.write(answer(acceptance(request)));
      if (isEnd) accepted.end();
    };
    const replies = [{ received: '2', send: '3' }];
    await stage.listen((accepted) => accepted.once('data', answering(accepted)), { replies });
    stage.engine.open(0);
    await stage.sink.until(() => stage.sink.events.length > 0);
  }

  /** What a client gets of a target that answers its request so. */
  async function heardOf(answer: (accepted: net.Socket, request: Buffer) => unknown, more = {}): Promise<string[]> {
    await stage.listen((accepted) => accepted.once('data', (request: Buffer) => answer(accepted, request)), more);
    stage.engine.open(0);
    await stage.sink.until(() => stage.sink.events.some((event) => /^(text|closed) 0/.test(event)));
    return stage.sink.events;
  }

  /** The same of a target that sends `before`, its 101 and a message `hi` in pieces of so many bytes. */
  const upgraded = (before: string, pieceBytes: number): Promise<string[]> =>
    heardOf(async (accepted, request) => {
      const text = `${before}${acceptance(request)}\x81\x02hi`;
      for (let at = 0; at < text.length && accepted.writable; at += pieceBytes) {
        accepted.write(text.slice(at, at + pieceBytes), 'latin1');
        await nextTurn();
      }
    });

  const said = (): string[] =>
    unmasked(Buffer.concat(heard)).map(([first, payload]) => `${first & 0x0f} ${payload.toString('latin1')}`);
  const behind =
    (...frames: Buffer[]) =>
    (head: string) =>
      Buffer.concat([Buffer.from(head), ...frames]);

  it('a refused answer is not followed: no delivery, no answer to a ping or a heartbeat', async () => {
    const frames = [frame(0x81, '#n007'), frame(0x89, 'ping'), frame(0x81, '2'), frame(0x81, '#n013')];
    await open((head) => behind(...frames)(head.replace(/Accept: .*/, 'Accept: c3pPLMBiTxaQ9kYGzzhZRbK+xOo=')));
    await expect.poll(() => socket().readableEnded || socket().destroyed).toBe(true);
    expect(stage.sink.events).toEqual(['closed 0 bad-upgrade:accept key false']);
    expect([stage.sink.seen, said()]).toEqual([[], []]);
  });

  it.each([
    ['a close frame', frame(0x88, '\x0f\xa3'), 'close-code:4003', '8 \x0f\xa3'],
    ['a violation', frame(0xc1, 'x'), 'protocol-error:reserved bits set', '8 \x03\xea'],
  ])('%s is answered, though TCP ends with it', async (_name, last, cause, answer) => {
    await open(behind(frame(0x81, '#n007'), last), true);
    await stage.sink.untilEvent(`closed 0 ${cause} true`);
    await expect.poll(said).toEqual([answer]);
    await stage.sink.until(() => stage.sink.seen.length === 1);
  });

  it('nothing that comes behind a violation counts', async () => {
    await open(behind());
    const texts = ['#n007', '\xc3(', '#n013', 'x'];
    socket().write(Buffer.concat([...texts.map((text) => frame(0x81, text)), frame(0x89, 'ping')]));
    await stage.sink.untilEvent('closed 0 protocol-error:text is not UTF-8 true');
    await expect.poll(said).toEqual(['8 \x03\xef']);
    await stage.sink.until(() => stage.sink.seen.length > 0);
    expect(stage.sink.seen.map(({ sequence }) => sequence)).toEqual([7]);
    expect(stage.sink.events).toHaveLength(2);
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
      socket().write(Buffer.concat(parts));
      if (round % 7 === 0) socket().write(frame(0x81, '2'));
      if (round % 2 === 0) await nextTurn();
    }
    await stage.sink.until(() => stage.sink.seen.length === rounds);
    const upTo = Array.from({ length: rounds }, (_, round) => round);
    expect(stage.sink.seen.map(({ sequence }) => sequence)).toEqual(upTo);
    const pongs = (): string[] => said().filter((one) => one.startsWith('10 '));
    await expect.poll(pongs).toEqual(upTo.map((round) => `10 p${String(round).padStart(3, '0')}`));
    await expect.poll(() => said().filter((one) => one === '1 3').length).toBe(Math.ceil(rounds / 7));
    expect(stage.sink.events).toEqual(['opened 0']);
  });

  it.each([
    ['drops its client', () => stage.engine.drop(0, 'close', 'rejected:enough'), ['closed 0 rejected:enough true']],
    ['disposes of the engine', () => stage.engine.dispose(), []],
  ])('a sink that %s hears nothing more of what it reads', async (_name, end, more) => {
    await open(behind());
    const { message } = stage.sink;
    stage.sink.message = (client, bytes, isBinary) => {
      message.call(stage.sink, client, bytes, isBinary);
      end();
    };
    const parts = [frame(0x81, '\xc3\xa9'), frame(0x01, 'a'), frame(0x80, 'b'), frame(0x81, '#n007'), frame(0x88, '')];
    socket().write(Buffer.concat(parts));
    await stage.sink.untilEvent('text 0 é');
    await expect.poll(() => socket().readableEnded || socket().destroyed || said().length > 0).toBe(true);
    expect(said()).toEqual(more.length > 0 ? ['8 \x03\xe8'] : []);
    expect(stage.sink.events).toEqual(['opened 0', 'text 0 é', ...more]);
    expect(stage.sink.seen).toEqual([]);
  });

  const early = 'HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n';

  it.each([
    ['100', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['100 without a reason', 'HTTP/1.1 100\r\n\r\n'],
    ['103', early],
    ['100, 102 and 103', `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n${early}`],
  ])('an interim answer of %s is passed over, whole or in pieces', async (_name, before) => {
    for (const pieceBytes of [100_003, 7, before.length]) {
      expect(await upgraded(before, pieceBytes)).toEqual(['opened 0', 'text 0 hi']);
      await stage.end();
    }
  });

  it('an interim answer stands for no final one', async () => {
    expect(await upgraded(`${early}HTTP/1.1 503 Service Unavailable\r\n\r\n`, 100_003)).toEqual([
      'closed 0 http-status:503 false',
    ]);
  });

  it('interim answers without end are awaited no longer than the connect timeout', async () => {
    const flooding = (accepted: net.Socket): void => {
      const flood = setInterval(() => accepted.write(early.repeat(17)), 1);
      accepted.on('close', () => clearInterval(flood));
    };
    expect(await heardOf(flooding, { connectTimeoutMs: 211 })).toEqual(['closed 0 connect-timeout false']);
  });
});
