import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { RecordingSink } from '../../../test/doubles/session-recorders.js';
import { signStream } from '../../../test/sign-stream.js';
import { numberOnly } from '../../units/slots.js';
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

describe.skipIf(binary === undefined)('a wire session against the anycable-go of ANYCABLE_GO_BIN', () => {
  beforeAll(() => start(binary!));
  afterAll(async () => {
    target.kill();
    if (target.exitCode === null) await once(target, 'exit');
  });

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

  test('a stream whose signature is wrong is refused', async () => {
    const session = anycable.session(sink, {}, numberOnly(0));
    await connect(session);
    session.subscribe(signStream('bench', 'another secret'));
    socket.send(sink.lines.at(-1)!.slice('sent '.length));
    await until(() => sink.lines.includes('refused reject_subscription'));
  });
});
