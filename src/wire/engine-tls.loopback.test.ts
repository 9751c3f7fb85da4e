import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, createServer as createNetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { overEngines } from '../../test/doubles/engines.js';
import { WireRecorder } from '../../test/doubles/wire-recorder.js';
import { plainSetup } from '../../test/stage/raw-stage.js';
import type { Engine, WireSetup } from './wire.js';

let cert: string;
let server: Server;
let webSockets: WebSocketServer;
let engine: Engine;

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'wire-tls-'));
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', [...request, ...subject, '-keyout', keyFile, '-out', certFile], { stdio: 'pipe' });
  cert = readFileSync(certFile, 'utf8');
  server = createServer({ cert, key: readFileSync(keyFile) });
  rmSync(folder, { recursive: true });
  webSockets = new WebSocketServer({ server });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  engine.dispose();
});

afterAll(async () => {
  for (const client of webSockets.clients) client.terminate();
  webSockets.close();
  server.close();
  await once(server, 'close');
});

const portOf = (of: Pick<Server, 'address'>): number => (of.address() as AddressInfo).port;

overEngines((make) => {
  function createEngine(overrides: Partial<WireSetup>): WireRecorder {
    const sink = new WireRecorder();
    engine = make(
      {
        url: `wss://localhost:${portOf(server)}`,
        ...{ ...plainSetup, capacity: 7 },
        ...overrides,
      },
      sink,
    );
    return sink;
  }

  it.each([
    ['that nobody vouches for', 'localhost', false, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['for another host', '127.0.0.1', true, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('refuses a certificate %s', async (_what, host, isTrusted, code) => {
    const sink = createEngine({ url: `wss://${host}:${portOf(server)}`, ...(isTrusted && { caPem: cert }) });
    engine.open(3);
    await sink.untilEvent(`closed 3 tls:${code} false`);
  });

  it('refuses a target that speaks no TLS', async () => {
    const plain = createNetServer((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    );
    plain.listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const sink = createEngine({ url: `wss://127.0.0.1:${portOf(plain)}`, isInsecure: true });
    engine.open(3);
    await sink.until(() => /^closed 3 tls:\w+ false$/.test(sink.events[0] ?? ''));
    plain.close();
    await once(plain, 'close');
  });

  it('refuses a certificate authority that is none', () => expect(() => createEngine({ caPem: 'no PEM' })).toThrow());

  it.each([
    ['trusts the given authority', { caPem: '' }],
    ['accepts any certificate by explicit word', { isInsecure: true }],
  ])('%s, and takes the deliveries of many clients', async (_name, overrides) => {
    const sink = createEngine('caPem' in overrides ? { caPem: cert } : overrides);
    const clients = 7;
    const broadcasts = 31;
    for (let client = 0; client < clients; client++) engine.open(client);
    await sink.until(() => sink.openTimes.length === clients);
    const pongs: string[] = [];
    for (const socket of webSockets.clients) socket.on('pong', (payload: Buffer) => pongs.push(payload.toString()));
    for (let sequence = 0; sequence < broadcasts; sequence++) {
      for (const socket of webSockets.clients) {
        socket.ping(String(sequence));
        // Up to several TLS records a message.
        socket.send(`${'x'.repeat(sequence * 1999)}#n${String(sequence).padStart(3, '0')}`);
      }
    }
    await sink.until(() => sink.seen.length === clients * broadcasts);
    for (let client = 0; client < clients; client++) {
      const own = sink.seen.filter((one) => one.client === client).map((one) => one.sequence);
      expect(own).toEqual(Array.from({ length: broadcasts }, (_, i) => i));
    }
    engine.send(2, 'é');
    const heard = [...webSockets.clients].map((socket) => once(socket, 'message') as Promise<[Buffer]>);
    expect((await Promise.race(heard))[0].toString()).toBe('é');
    expect(sink.events.length).toBe(clients);

    for (const [client, mode] of (['reset', 'close', 'vanish'] as const).entries()) engine.drop(client, mode);
    await sink.untilEvent('closed 1 ours true');
    const gone = [...webSockets.clients].map((socket) => once(socket, 'close'));
    engine.dispose();
    await Promise.all(gone);
    expect(pongs.length).toBe(clients * broadcasts);
  });
});
