import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type net from 'node:net';
import { type AddressInfo, createServer as createNetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { overEngines } from '../../test/doubles/engines.js';
import { WireRecorder } from '../../test/doubles/wire-recorder.js';
import { Certificates } from '../../test/https-front.js';
import { acceptance, plainSetup } from '../../test/stage/raw-stage.js';
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

const [major = 0, minor = 0] = process.versions.openssl.split('.').map(Number);
const isNewer = major > 3 || (major === 3 && minor >= 5);
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
    let pongs = 0;
    // A reset would take what the server has not read yet.
    const answered = new Promise<void>((resolve) => {
      for (const socket of webSockets.clients)
        socket.on('pong', () => {
          if (++pongs === clients * broadcasts) resolve();
        });
    });
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

    await answered;
    for (const [client, mode] of (['reset', 'close', 'vanish'] as const).entries()) engine.drop(client, mode);
    await sink.untilEvent('closed 1 ours true');
    const gone = [...webSockets.clients].map((socket) => once(socket, 'close'));
    engine.dispose();
    await Promise.all(gone);
    expect(pongs).toBe(clients * broadcasts);
  });

  describe('the TLS of a target', () => {
    let folder: string;
    let certificates: Certificates;
    let target: tls.Server | undefined;

    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'wire-tls-'));
      certificates = new Certificates(folder);
    });

    afterEach(() => void target?.close());
    afterAll(() => rmSync(folder, { recursive: true }));

    /** A target with this TLS, which does `then` with a socket that it has upgraded. */
    async function listen(options: tls.TlsOptions, then: (socket: tls.TLSSocket) => void = () => undefined) {
      target = tls.createServer(options, (socket) => {
        socket.on('error', () => undefined);
        socket.once('data', (request: Buffer) => {
          socket.write(acceptance(request));
          then(socket);
        });
      });
      target.on('tlsClientError', () => undefined);
      await once(target.listen(0, '127.0.0.1'), 'listening');
    }

    function reach(overrides: Partial<WireSetup> = { isInsecure: true }, host = '127.0.0.1'): WireRecorder {
      return createEngine({ url: `wss://${host}:${portOf(target!)}/`, ...overrides });
    }

    const ca = () => readFileSync(certificates.path('ca.pem'), 'utf8');

    it.each([
      ['of an authority that is not trusted', 'server', false, 'SELF_SIGNED_CERT_IN_CHAIN'],
      ['of the past', 'old', true, 'CERT_HAS_EXPIRED'],
      ['of the past, of an authority that is not trusted', 'old', false, 'CERT_HAS_EXPIRED'],
    ] as const)('is refused with a certificate %s', async (_what, name, isTrusted, code) => {
      await listen(certificates.of(name));
      const sink = reach(isTrusted ? { caPem: ca() } : {});
      engine.open(0);
      await sink.until(() => sink.events.length === 1);
      expect(sink.events).toEqual([`closed 0 tls:${code} false`]);
    });

    it('is trusted by address, too', async () => {
      await listen(certificates.of('server'));
      const sink = reach({ caPem: ca() });
      engine.open(0);
      await sink.untilEvent('opened 0');
    });

    it.each([
      // OpenSSL 3.5 has another name for it.
      ['TLSv1.2', `tls:ERR_SSL_SSL${isNewer ? '/TLS' : 'V3'}_ALERT_HANDSHAKE_FAILURE false`],
      ['TLSv1.3', 'tls:ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED false'],
    ] as const)('ends by an alert of %s', async (version, cause) => {
      await listen({ ...certificates.of('server'), requestCert: true, rejectUnauthorized: true, maxVersion: version });
      const sink = reach();
      engine.open(0);
      await sink.until(() => sink.events.length === 1);
      expect(sink.events).toEqual([`closed 0 ${cause}`]);
    });

    it.each(['TLSv1.2', 'TLSv1.3'] as const)(
      'is %s, with the times and the counts of its handshakes',
      async (version) => {
        const heard: string[] = [];
        await listen({ ...certificates.of('server'), maxVersion: version, ALPNProtocols: ['http/1.1'] }, (socket) => {
          heard.push(`${socket.alpnProtocol} ${(socket as { servername?: unknown }).servername}`);
          socket.write(Buffer.concat([Buffer.of(0x81, 5), Buffer.from('#n007')]));
        });
        const sink = reach({ isInsecure: true }, 'localhost');
        for (const client of [0, 1]) engine.open(client);
        await sink.until(() => sink.openTimes.length === 2);
        for (const { tcpNs, upgradeNs, tls: leg } of sink.openTimes) {
          expect(leg!.tookNs).toBeGreaterThan(0);
          expect(leg!.leastNs).toBeGreaterThanOrEqual(0);
          expect(leg!.leastNs).toBeLessThanOrEqual(leg!.tookNs);
          expect(tcpNs + leg!.tookNs).toBeLessThanOrEqual(upgradeNs);
        }
        expect(heard).toEqual(['http/1.1 localhost', 'http/1.1 localhost']);
        expect(engine.stats()).toMatchObject({ handshakes: { [version]: 2 }, openssl: process.versions.openssl });
      },
    );

    it('ends with its close_notify, and is told ours', async () => {
      const ends: Promise<unknown>[] = [];
      await listen(certificates.of('server'), (socket) => {
        ends.push(new Promise((resolve) => socket.once('end', resolve)));
        // The target leaves client 1, and ends TCP with client 0 after its close frame.
        if (ends.length === 2) socket.end();
        else socket.once('data', () => socket.end());
      });
      const sink = reach();
      engine.open(0);
      await sink.untilEvent('opened 0');
      engine.open(1);
      await sink.untilEvent('closed 1 end-of-stream true');
      engine.drop(0, 'close');
      await Promise.all(ends);
      expect(sink.events).toEqual(['opened 0', 'opened 1', 'closed 1 end-of-stream true', 'closed 0 ours true']);
    });

    it.each([
      ['an end', (socket: net.Socket) => socket.end(), 'end-of-stream'],
      ['a reset', (socket: net.Socket) => socket.resetAndDestroy(), 'reset'],
    ])('has not begun with %s', async (_what, end, cause) => {
      const plain = createNetServer((socket) => socket.once('data', () => end(socket)));
      await once(plain.listen(0, '127.0.0.1'), 'listening');
      const sink = createEngine({ url: `wss://127.0.0.1:${portOf(plain)}`, isInsecure: true });
      engine.open(3);
      await sink.untilEvent(`closed 3 ${cause} false`);
      plain.close();
    });

    it('changes its keys', async () => {
      const files = ['-key', certificates.path('server.key'), '-cert', certificates.path('server.pem')];
      const server = spawn('openssl', ['s_server', '-accept', '127.0.0.1:0', '-tls1_3', '-msg', ...files]);
      const heard: Buffer[] = [];
      server.stdout.on('data', (bytes: Buffer) => heard.push(bytes));
      const text = () => Buffer.concat(heard).toString('latin1');
      const says = async (what: RegExp): Promise<string> => {
        await expect.poll(text, { timeout: 20_000 }).toMatch(what);
        return what.exec(text())![1]!;
      };
      const sink = createEngine({
        url: `wss://127.0.0.1:${await says(/ACCEPT 127\.0\.0\.1:(\d+)/)}/`,
        isInsecure: true,
      });
      engine.open(0);
      await says(/(GET \/[\s\S]*\r\n\r\n)/);
      server.stdin.write(acceptance(Buffer.from(text(), 'latin1')));
      await sink.untilEvent('opened 0');
      const frame = Buffer.concat([Buffer.of(0x81, 5), Buffer.from('#n007')]);
      for (const [index, command] of ['K\n', 'k\n', 'K\n'].entries()) {
        server.stdin.write(command);
        await says(new RegExp(`((?:>>> .*KeyUpdate[\\s\\S]*){${index + 1}})`));
        server.stdin.write(frame);
        await sink.until(() => sink.seen.length === index + 1);
        // It reads what we sent with the keys that it asked us to change.
        engine.ping(0, Buffer.of(index));
      }
      // Two of them ask for other keys of ours.
      await says(/((?:<<< .*KeyUpdate[\s\S]*){2})/);
      // The request and three pings.
      await says(/((?:<<< TLS 1\.3, InnerContent \[length 0001\]\s+17\s[\s\S]*){4})/);
      expect(text()).not.toContain('ERROR');
      server.kill();
    });
  });
});
