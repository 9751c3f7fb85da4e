import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { overEngines } from '../../test/doubles/engines.js';
import { WireRecorder } from '../../test/doubles/wire-recorder.js';
import { Certificates } from '../../test/https-front.js';
import { acceptance, plainSetup } from '../../test/stage/raw-stage.js';
import type { Engine, WireSetup } from './wire.js';

let certificates: Certificates;
const ended: (() => void)[] = [];

beforeAll(() => {
  certificates = new Certificates(mkdtempSync(join(tmpdir(), 'wire-ways-')));
  certificates.add('middle', { isAuthority: true });
  for (const name of ['c0', 'c1', 'c2']) certificates.add(name, { by: 'middle' });
});
afterEach(() => {
  for (const end of ended.splice(0)) end();
});
afterAll(() => rmSync(certificates.folder, { recursive: true }));

async function portOf(server: net.Server): Promise<number> {
  const sockets = new Set<net.Socket>();
  server.on('connection', (socket: net.Socket) => void sockets.add(socket.on('error', () => undefined)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  ended.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

/** Upgrades, and sends a delivery. */
function welcome(socket: net.Socket): void {
  socket.on('error', () => undefined);
  socket.once('data', (request: Buffer) => {
    socket.write(acceptance(request));
    socket.write(Buffer.concat([Buffer.of(0x81, 5), Buffer.from('#n007')]));
  });
}

overEngines((make) => {
  let sink: WireRecorder;
  let engine: Engine;

  function create(setup: Partial<WireSetup> & { url: string }): void {
    sink = new WireRecorder();
    engine = make({ ...plainSetup, isInsecure: true, capacity: 7, ...setup }, sink);
    ended.push(() => engine.dispose());
  }

  async function open(client: number, identity?: number): Promise<void> {
    const own = { pathAndQuery: '/', headers: {}, subprotocols: [] };
    const times = sink.events.filter((event) => event === `opened ${client}`).length;
    engine.open(client, identity === undefined ? undefined : { ...own, identity });
    await sink.untilEvent(`opened ${client}`, times + 1);
  }

  describe.each(['TLSv1.2', 'TLSv1.3'] as const)('sessions of %s', (version) => {
    it.each([
      ['none', undefined, [5, 0]],
      ['the newest', 'shared', [1, 4]],
      ['their own', 'own', [2, 3]],
    ] as const)('that clients resume: %s', async (_what, tlsResume, [full, resumed]) => {
      const heard: boolean[] = [];
      const target = tls.createServer({ ...certificates.of('server'), maxVersion: version }, (socket) => {
        heard.push(socket.isSessionReused());
        welcome(socket);
      });
      create({ url: `wss://127.0.0.1:${await portOf(target)}/`, ...(tlsResume && { tlsResume }) });
      await open(0);
      await open(1);
      // Not every end of TCP is a clean end of TLS.
      engine.drop(0, 'reset');
      engine.drop(1, 'close');
      await open(0);
      await open(1);
      await open(2, 0);
      const counts = { [version]: full, ...(resumed > 0 && { [`${version} resumed`]: resumed }) };
      expect(engine.stats().handshakes).toEqual(counts);
      expect(heard.filter((isReused) => isReused).length).toBe(resumed);
      expect(heard.length).toBe(full + resumed);
    });
  });

  it('resumes no session of a target whose certificate is refused', async () => {
    const target = tls.createServer({ ...certificates.of('old'), maxVersion: 'TLSv1.2' }, welcome);
    create({ url: `wss://127.0.0.1:${await portOf(target)}/`, isInsecure: false, tlsResume: 'shared' });
    for (const times of [1, 2]) {
      engine.open(0);
      await sink.untilEvent('closed 0 tls:CERT_HAS_EXPIRED false', times);
    }
    expect(engine.stats().handshakes).toBeUndefined();
  });

  describe('certificates of clients', () => {
    const subjects: unknown[] = [];

    async function listen(): Promise<string> {
      subjects.length = 0;
      const options = { ...certificates.of('server'), requestCert: true, rejectUnauthorized: true };
      const target = tls.createServer(options, (socket) => {
        subjects.push(socket.getPeerCertificate().subject.CN);
        welcome(socket);
      });
      return `wss://127.0.0.1:${await portOf(target)}/`;
    }

    const identityOf = (name: string): string => certificates.text(`${name}.pem`, 'middle.pem', `${name}.key`);

    it.each([[['c0']], [['c0', 'c1', 'c2']]])('are %s', async (names) => {
      create({ url: await listen(), identities: names.map(identityOf), caPem: certificates.text('ca.pem') });
      for (const client of [0, 1, 2, 3]) await open(client);
      await open(4, 1);
      expect(subjects).toEqual([0, 1, 2, 3, 1].map((identity) => names[identity % names.length]));
      await sink.until(() => sink.seen.length === 5);
    });

    it('stay with their sessions', async () => {
      create({ url: await listen(), identities: ['c0', 'c1'].map(identityOf), tlsResume: 'own' });
      for (const client of [0, 1]) await open(client);
      for (const client of [0, 1]) engine.drop(client, 'close');
      for (const client of [1, 0]) await open(client);
      expect(subjects).toEqual(['c0', 'c1', 'c1', 'c0']);
      expect(engine.stats().handshakes).toEqual({ 'TLSv1.3': 2, 'TLSv1.3 resumed': 2 });
    });
  });

  describe('a proxy', () => {
    const heads: string[] = [];

    /** Answers CONNECT in two pieces, and carries what comes behind it to that port. */
    async function proxy(port: number, answer = 'HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n') {
      heads.length = 0;
      const server = net.createServer((socket) => {
        socket.setNoDelay(true);
        socket.once('data', (head: Buffer) => {
          heads.push(head.toString());
          if (answer === '') {
            socket.end();
            return;
          }
          const onward = net.connect(port, '127.0.0.1');
          onward.on('error', () => socket.destroy());
          onward.on('close', () => socket.destroy());
          socket.on('close', () => onward.destroy());
          socket.write(answer.slice(0, 9));
          setImmediate(() => socket.write(answer.slice(9)));
          socket.pipe(onward).pipe(socket);
        });
      });
      return portOf(server);
    }

    it('leads to ws://, whose name it finds itself', async () => {
      const at = await proxy(await portOf(net.createServer(welcome)));
      create({ url: 'ws://nowhere.invalid/', proxy: `http://user:pass%3A@127.0.0.1:${at}` });
      for (const client of [0, 1]) await open(client);
      await sink.until(() => sink.seen.length === 2);
      const user = `Proxy-Authorization: Basic ${Buffer.from('user:pass:').toString('base64')}`;
      const head = ['CONNECT nowhere.invalid:80 HTTP/1.1', 'Host: nowhere.invalid:80', user, '', ''].join('\r\n');
      expect(heads).toEqual([head, head]);
      for (const { tcpNs, upgradeNs } of sink.openTimes) expect(tcpNs).toBeLessThanOrEqual(upgradeNs);
    });

    it('leads to wss://, which it cannot read', async () => {
      const port = await portOf(tls.createServer(certificates.of('server'), welcome));
      const trust = { isInsecure: false, caPem: certificates.text('ca.pem'), tlsResume: 'own' } as const;
      create({ url: `wss://127.0.0.1:${port}/`, proxy: `127.0.0.1:${await proxy(port)}`, ...trust });
      for (const client of [0, 1]) await open(client);
      await sink.until(() => sink.seen.length === 2);
      engine.drop(1, 'reset');
      await open(1);
      await sink.until(() => sink.seen.length === 3);
      expect(heads.map((head) => head.split('\r\n')[0])).toEqual(Array(3).fill(`CONNECT 127.0.0.1:${port} HTTP/1.1`));
      expect(engine.stats().handshakes).toEqual({ 'TLSv1.3': 2, 'TLSv1.3 resumed': 1 });
      for (const { tcpNs, upgradeNs, tls: leg } of sink.openTimes)
        expect(tcpNs + leg!.tookNs).toBeLessThanOrEqual(upgradeNs);
    });

    it.each([
      ['proxy:407', 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'],
      ['proxy:status line', 'SSH-2.0-OpenSSH\r\n\r\n'],
      ['proxy:header size', `HTTP/1.1 200 ${'x'.repeat(20_000)}`],
      ['end-of-stream', ''],
    ])('that refuses is the cause: %s', async (cause, answer) => {
      const port = await portOf(net.createServer(welcome));
      for (const scheme of ['ws', 'wss']) {
        create({ url: `${scheme}://127.0.0.1:${port}/`, proxy: `http://127.0.0.1:${await proxy(port, answer)}` });
        engine.open(0);
        await sink.until(() => sink.events.length === 1);
        expect(sink.events).toEqual([`closed 0 ${cause} false`]);
      }
    });

    it('may be away', async () => {
      const gone = net.createServer();
      const at = await portOf(gone);
      await once(gone.close(), 'close');
      create({ url: 'wss://127.0.0.1:1/', proxy: `http://127.0.0.1:${at}` });
      engine.open(0);
      await sink.untilEvent('closed 0 connect-refused false');
      engine.open(0);
      engine.drop(0, 'reset');
      await sink.untilEvent('closed 0 ours false');
    });
  });
});
