import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { Certificates } from '../../test/https-front.js';
import { broadcastBooks, latencyFlags, soundResult } from '../../test/latency.js';
import { keptDirectory, workplace } from '../../test/workplace.js';
import { enginesTogether } from '../contract/engine.js';

const place = workplace();
const [subscribers, broadcasts] = [7, 5];
const ended: (() => unknown)[] = [];
let certificates: Certificates;

beforeAll(() => {
  certificates = new Certificates(mkdtempSync(join(tmpdir(), 'ringside-ways-')));
  for (let client = 0; client < subscribers; client++) {
    certificates.add(`of-${client}`);
    writeFileSync(certificates.path(`both-${client}.pem`), certificates.text(`of-${client}.key`, `of-${client}.pem`));
  }
});
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});
afterAll(() => rmSync(certificates.folder, { recursive: true }));

async function listening(server: net.Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  ended.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** A target that lets in clients and publishers with a certificate of the authority, and keeps their names. */
async function target() {
  const names = { clients: [] as string[], publishers: new Set<string>(), resumed: 0 };
  const nameOf = (socket: TLSSocket): string => String(socket.getPeerCertificate().subject.CN);
  const options = { ...certificates.of('server'), requestCert: true, rejectUnauthorized: true };
  const http = createServer(options, async (request, response) => {
    names.publishers.add(nameOf(request.socket as TLSSocket));
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { stream, data } = JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>;
    for (const client of server.clients) client.send(JSON.stringify({ type: 'message', stream, data }));
    response.writeHead(201).end();
  });
  const server = new WebSocketServer({ server: http });
  server.on('connection', (socket, { socket: below }) => {
    names.clients.push(nameOf(below as TLSSocket));
    if ((below as TLSSocket).isSessionReused()) names.resumed++;
    socket.on('message', (text) => {
      const { stream } = JSON.parse(String(text)) as { stream: string };
      socket.send(JSON.stringify({ type: 'subscribed', stream }));
    });
  });
  ended.push(() => {
    for (const client of server.clients) client.terminate();
    http.closeAllConnections();
  });
  const at = `127.0.0.1:${await listening(http)}`;
  const urls = ['--target-url', `wss://${at}/ws`, '--publish-url', `https://${at}/_broadcast`];
  return { names, flags: ['--protocol', 'ws-json', ...urls, '--ca', certificates.path('ca.pem')] };
}

/** A proxy, and what it was asked with. */
async function proxied(status = '200 OK') {
  const asked = new Set<string>();
  const proxy = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (head: Buffer) => {
      const [, host, port] = /^CONNECT ([\d.]+):(\d+) HTTP/.exec(head.toString()) ?? [];
      asked.add(/Basic (.*)\r\n/.exec(head.toString())?.[1] ?? '');
      const onward = net.connect(Number(port), host).on('error', () => socket.destroy());
      onward.on('close', () => socket.destroy());
      socket.on('close', () => onward.destroy());
      socket.write(`HTTP/1.1 ${status}\r\n\r\n`);
      socket.pipe(onward).pipe(socket);
    });
  });
  const at = `127.0.0.1:${await listening(proxy)}`;
  return { at, asked };
}

// Loopback tests try both on each engine.
describe('the way to a target', () => {
  it('shows a certificate for each client, on every shard, and keeps none', async () => {
    const { names, flags } = await target();
    const shown = ['--target-cert', certificates.path('both-{client}.pem'), '--engine', 'native'];
    const done = await place.measure(
      ['run', 'latency', ...flags, ...shown, ...latencyFlags(subscribers, broadcasts)],
      2,
    );
    const result = soundResult(done);
    expect(broadcastBooks(result)).toMatchObject({ acked: broadcasts, delivered: subscribers * broadcasts, lost: 0 });
    expect(names.clients.sort()).toEqual(Array.from({ length: subscribers }, (_, client) => `of-${client}`));
    expect([...names.publishers]).toEqual(['of-0']);
    expect(result.job.load).toMatchObject({ targetCert: '(hidden)', tlsResume: 'none' });
    const kept = readFileSync(join(keptDirectory(done), 'result.json'), 'utf8');
    expect(kept + done.stdout + done.stderr).not.toContain('PRIVATE KEY');
  });

  it('resumes sessions through a proxy, and says how many', async () => {
    const { names, flags } = await target();
    const { at, asked } = await proxied();
    const shown = ['--target-cert', certificates.path('client.pem'), '--target-key', certificates.path('client.key')];
    const way = ['--tls-resume', 'shared', '--proxy', 'env', '--engine', 'js', '--workers', '1', '-v'];
    const env = { HTTPS_PROXY: `http://user:hush@${at}`, NO_PROXY: 'other.example' };
    const done = await place.measure(
      ['run', 'latency', ...flags, ...shown, ...way, ...latencyFlags(subscribers, broadcasts)],
      1,
      env,
    );
    const result = soundResult(done);
    expect(names.clients).toEqual(Array(subscribers).fill('client'));
    const [use] = enginesTogether(result.shards.flatMap((shard) => shard.result?.rig.engines ?? []));
    const { 'TLSv1.3': full = 0, 'TLSv1.3 resumed': resumed = 0 } = use?.handshakes ?? {};
    expect([use?.name, full + resumed, resumed]).toEqual(['js', subscribers, names.resumed]);
    expect([...asked]).toEqual([Buffer.from('user:hush').toString('base64')]);
    expect(result.job.load).toMatchObject({ proxy: at, targetCert: '(hidden)', tlsResume: 'shared' });
    expect(done.stdout).toMatch(new RegExp(`\\b${full} full TLS handshakes?, ${resumed} resumed of shared sessions`));
    expect(done.stdout).toContain(`through the proxy ${at}`);
    expect(JSON.stringify(result) + done.stdout + done.stderr).not.toContain('hush');
  });
});

describe('a trial', () => {
  const file = (flags: readonly string[]): string => {
    const [, protocol, , targetUrl, , publishUrl] = flags;
    const path = certificates.path('target.yml');
    writeFileSync(path, JSON.stringify({ name: 'mine', protocol, targetUrl, publishUrl }));
    return path;
  };

  it('goes the way of the clients: by its certificate, its authority and a proxy', async () => {
    const { names, flags } = await target();
    const { at, asked } = await proxied();
    const way = ['--target-cert', certificates.path('both-{client}.pem'), '--ca', certificates.path('ca.pem')];
    const tried = ['try', file(flags), ...way, '--client-number', '2', '--proxy', `http://user:hush@${at}`];
    const { stdout } = await place.run(tried);
    expect(stdout.match(/✓ (?:open|posted|delivered)/g)).toEqual(['✓ open', '✓ open', '✓ posted', '✓ delivered']);
    expect([names.clients, [...names.publishers]]).toEqual([['of-2', 'of-3'], ['of-2']]);
    expect([...asked]).toEqual([Buffer.from('user:hush').toString('base64')]);
  });

  it('names the answer of a proxy that refuses', async () => {
    const { flags } = await target();
    const { at } = await proxied('407 Who are you');
    const way = ['--ca', certificates.path('ca.pem'), '--proxy', at];
    const { code, stdout } = await place.run(['try', file(flags), ...way]);
    expect(code).toBe(4);
    expect(stdout).toContain('proxy:407');
  });
});
