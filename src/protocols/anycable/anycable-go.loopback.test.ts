import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { RecordingEvents, RecordingSink } from '../../../test/doubles/session-recorders.js';
import { signStream } from '../../../test/sign-stream.js';
import { numberOnly } from '../../units/slots.js';
import type { Clients } from '../protocol.js';
import { anycable } from './index.js';

const binary = process.env.ANYCABLE_GO_BIN;
const secret = 's3cret';
let target: ChildProcess;
let address: string;

async function start(command: string): Promise<void> {
  const probe = createServer();
  await once(probe.listen(0, '127.0.0.1'), 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  address = `127.0.0.1:${port}`;
  const args = ['--host=127.0.0.1', `--port=${port}`, '--noauth', '--norpc', '--public_streams', '--broker=memory'];
  const broadcasts = ['--broadcast_adapter=http', `--http_broadcast_port=${port}`, '--broadcast_key=k'];
  target = spawn(command, [...args, ...broadcasts, `--streams_secret=${secret}`], {
    env: { ...process.env, ANYCABLE_DISABLE_TELEMETRY: 'true' },
    stdio: 'ignore',
  });
  const isHealthy = () =>
    fetch(`http://${address}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isHealthy())) {
    if (target.exitCode !== null) throw new Error(`${command} ended with ${target.exitCode}`);
    await setTimeout(29);
  }
}

async function publish(stream: string, sequence: number): Promise<void> {
  const body = JSON.stringify({ stream, data: JSON.stringify({ m: `seq:${sequence}` }) });
  const headers = { 'content-type': 'application/json', authorization: 'Bearer k' };
  const answer = await fetch(`http://${address}/_broadcast`, { method: 'POST', headers, body });
  expect(answer.status).toBe(201);
}

describe.skipIf(binary === undefined)('against the anycable-go of ANYCABLE_GO_BIN', () => {
  beforeAll(() => start(binary!));
  afterAll(async () => {
    target.kill();
    if (target.exitCode === null) await once(target, 'exit');
  });

  describe('wire session', () => {
    let sink: RecordingSink;
    let heard: string[];
    let socket: WebSocket;

    beforeEach(() => {
      sink = new RecordingSink();
      heard = [];
    });
    afterEach(() => socket.terminate());

    /** Puts a session on a new socket of its client: deliveries go to `position`, all else to `received`. */
    async function connect(session: ReturnType<typeof anycable.session>): Promise<void> {
      socket = new WebSocket(`ws://${address}/cable`, [...anycable.subprotocols]);
      socket.on('message', (data: Buffer) => {
        const sequence = /seq:(\d+)/.exec(data.toString())?.[1];
        if (sequence === undefined) session.received(data);
        else session.position!(data, 0, data.length);
        heard.push(sequence ?? 'talk');
      });
      await once(socket, 'open');
      session.opened(socket.protocol);
      await until(() => sink.lines.includes('ready'));
    }

    async function subscribe(session: ReturnType<typeof anycable.session>, stream: string): Promise<void> {
      session.subscribe(stream);
      socket.send(sink.lines.at(-1)!.slice('sent '.length));
      await until(() => sink.lines.includes(`subscribed ${stream}`));
    }

    async function until(isTrue: () => boolean): Promise<void> {
      while (!isTrue()) await once(socket, 'message');
    }

    test.each([
      ['a public', 'bench', 'bench'],
      ['a signed', signStream('a<b>&"q"/é', secret), 'a<b>&"q"/é'],
    ])('%s stream is resumed from history', async (_kind, stream, name) => {
      const session = anycable.session(sink, {}, numberOnly(0));
      await connect(session);
      expect(socket.protocol).toBe('actioncable-v1-ext-json');
      await subscribe(session, stream);
      await publish(name, 2);
      await publish(name, 3);
      await until(() => heard.includes('3'));
      socket.terminate();
      await publish(name, 5);
      await publish(name, 7);
      sink.take();
      await connect(session);
      await subscribe(session, stream);
      await until(() => sink.lines.includes('resumed true'));
      expect(heard.filter((one) => one !== 'talk')).toEqual(['2', '3', '5', '7']);
    });

    test('a public stream takes its whispers, and sends none back to the sender', async () => {
      const session = anycable.session(sink, {}, numberOnly(0));
      await connect(session);
      await subscribe(session, 'room');
      const other = new WebSocket(`ws://${address}/cable`, [...anycable.subprotocols]);
      const others: string[] = [];
      other.on('message', (data) => others.push(String(data)));
      await once(other, 'open');
      other.send(sink.lines.find((line) => line.includes('"subscribe"'))!.slice('sent '.length));
      while (!others.some((text) => text.includes('confirm_subscription'))) await once(other, 'message');
      session.whisper?.('room', '{"m":"seq:7"}');
      socket.send(sink.lines.at(-1)!.slice('sent '.length));
      while (!others.some((text) => text.includes('seq:7'))) await once(other, 'message');
      await publish('room', 11);
      await until(() => heard.includes('11'));
      expect(heard).not.toContain('7');
      other.terminate();
    });

    test('a stream whose signature is wrong is refused', async () => {
      const session = anycable.session(sink, {}, numberOnly(0));
      await connect(session);
      session.subscribe(signStream('bench', 'another secret'));
      socket.send(sink.lines.at(-1)!.slice('sent '.length));
      await until(() => sink.lines.includes('refused reject_subscription'));
    });
  });

  describe('library', () => {
    let events: RecordingEvents;
    let clients: Clients;

    beforeEach(async () => {
      events = new RecordingEvents();
      clients = await anycable.libraryClients(events.setup(`ws://${address}/cable`), events);
    });
    afterEach(() => clients.dispose());

    test('whispers to the others on a public stream', async () => {
      for (const client of [1, 2, 3]) {
        await events.join(clients, client, 'lobby');
      }
      clients.whisper?.(1, 'lobby', 7);
      clients.whisper?.(2, 'lobby', 11);
      await events.seen('3 delivered 7');
      await events.seen('3 delivered 11');
      await events.seen('2 delivered 7');
      await events.seen('1 delivered 11');
      expect(events.lines.filter((line) => line.includes('delivered'))).toHaveLength(4);
    });

    test.each([
      ['public', 'library', 'library'],
      ['signed', signStream('library 2', secret), 'library 2'],
    ])('hears a %s stream, comes back and hears what it missed', async (_kind, stream, name) => {
      await events.join(clients, 1, stream);
      await publish(name, 2);
      await events.seen('1 delivered 2');
      clients.drop(1, 'reset');
      await events.seen('1 closed ours true');
      await publish(name, 3);
      await events.join(clients, 1, stream, 2);
      await events.seen('1 resumed true');
      await publish(name, 5);
      await events.seen('1 delivered 5');
      expect(events.lines.filter((line) => line.includes('delivered'))).toEqual(
        [2, 3, 5].map((n) => `1 delivered ${n}`),
      );
    });
  });
});
