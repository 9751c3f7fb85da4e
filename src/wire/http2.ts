import http2 from 'node:http2';
import type net from 'node:net';
import { Duplex } from 'node:stream';
import type tls from 'node:tls';
import { endOfHead } from '../units/http.js';
import type { SocketReceiver } from './dialer.js';
import { acceptFor } from './upgrade.js';

/** Windows of Chrome, in bytes: with those of the RFC, a connection of many clients would wait for the load generator. */
const streamWindow = 6_291_456;
const connectionWindow = 15_728_640;

/** Headers that HTTP/2 says in another way, or forbids (RFC 8441, section 5, and RFC 9113, section 8.2.2). */
const replaced = new Set(['host', 'upgrade', 'connection', 'sec-websocket-key']);

/** Opens the TCP or TLS connection that carries the clients from `client` on. */
type Connect = (client: number, identity: number) => net.Socket | tls.TLSSocket;

/** The HTTP/2 connections of an engine. Each has up to so many clients with numbers in a row. */
export class Http2Connections {
  readonly #open = new Map<number, Shared>();

  constructor(
    private readonly clientsEach: number,
    private readonly authority: URL,
    private readonly readBuffer: Buffer,
    private readonly connect: Connect,
  ) {}

  /** Returns what stands for the client's TCP connection: a stream that is asked for by an upgrade of HTTP/1.1. */
  dial(client: number, identity: number, to: SocketReceiver): net.Socket {
    const number = Math.floor(client / this.clientsEach);
    let shared = this.#open.get(number);
    if (shared === undefined || shared.session.closed || shared.session.destroyed) {
      shared = new Shared(this.authority, () => this.connect(client, identity));
      this.#open.set(number, shared);
    }
    return new StreamSocket(shared, this.readBuffer, to) as unknown as net.Socket;
  }
}

/** One HTTP/2 connection. It closes when its last client has gone. */
class Shared {
  readonly session: http2.ClientHttp2Session;
  readonly #members = new Set<StreamSocket>();
  #isReady = false;

  constructor(
    readonly authority: URL,
    connect: () => net.Socket | tls.TLSSocket,
  ) {
    const settings = { enablePush: false, initialWindowSize: streamWindow };
    this.session = http2.connect(authority, { createConnection: connect, settings });
    this.session.on('connect', () => this.session.setLocalWindowSize(connectionWindow));
    this.session.on('remoteSettings', ({ enableConnectProtocol }) => {
      this.#isReady = true;
      const lack = Object.assign(new Error('no extended CONNECT'), { code: 'ERR_HTTP2_NO_EXTENDED_CONNECT' });
      for (const member of this.#members) enableConnectProtocol ? member.reached() : member.destroy(lack);
    });
    this.session.on('error', (error) => this.#end(error));
    this.session.on('close', () => this.#end());
  }

  add(member: StreamSocket): void {
    this.#members.add(member);
    if (this.#isReady) process.nextTick(() => member.reached());
  }

  delete(member: StreamSocket): void {
    if (this.#members.delete(member) && this.#members.size === 0 && !this.session.destroyed) this.session.close();
  }

  #end(error?: Error): void {
    for (const member of this.#members) member.destroy(error);
  }
}

/** A WebSocket's stream of an HTTP/2 connection, with the face of a socket and of an HTTP/1.1 upgrade on it. */
class StreamSocket extends Duplex {
  readonly connecting = false;
  #stream: http2.ClientHttp2Stream | undefined;
  #isReached = false;

  constructor(
    private readonly shared: Shared,
    private readonly readBuffer: Buffer,
    private readonly to: SocketReceiver,
  ) {
    super({ emitClose: true, decodeStrings: true });
    shared.add(this);
    process.nextTick(() => to.dialled());
  }

  /** The connection is there, and its target takes WebSockets. */
  reached(): void {
    if (this.#isReached || this.destroyed) return;
    this.#isReached = true;
    this.emit('connect');
  }

  setNoDelay(): void {
    // The connection has none.
  }

  resetAndDestroy(): void {
    this.destroy();
  }

  override pause(): this {
    this.#stream?.pause();
    return this;
  }

  override resume(): this {
    this.#stream?.resume();
    return this;
  }

  override _read(): void {
    // What comes goes to the receiver.
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#stream !== undefined) this.#stream.write(bytes, done);
    else {
      this.#stream = this.#request(bytes.toString('latin1'));
      done();
    }
  }

  override _final(done: (error?: Error | null) => void): void {
    if (this.#stream === undefined) done();
    // If it has ended already, all is said.
    else this.#stream.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#stream?.close(http2.constants.NGHTTP2_CANCEL);
    this.shared.delete(this);
    done(error);
  }

  #request(head: string): http2.ClientHttp2Stream {
    const [line = '', ...lines] = head.slice(0, -endOfHead.length).split('\r\n');
    const given = lines.map((each) => [each.slice(0, each.indexOf(':')), each.slice(each.indexOf(':') + 2)] as const);
    const headerOf = (name: string) => given.find(([each]) => each.toLowerCase() === name)?.[1];
    const { protocol, host } = this.shared.authority;
    const stream = this.shared.session.request(
      {
        ':method': 'CONNECT',
        ':protocol': 'websocket',
        ':scheme': protocol.slice(0, -1),
        ':path': line.split(' ')[1],
        ':authority': headerOf('host') ?? host,
        ...Object.fromEntries(given.filter(([name]) => !replaced.has(name.toLowerCase()))),
      },
      { endStream: false },
    );
    stream.on('response', (headers) => this.#say(answerOf(headers, headerOf('sec-websocket-key') ?? '')));
    stream.on('data', (bytes: Buffer) => this.#say(bytes));
    stream.on('end', () => this.end());
    stream.on('error', (error) => this.destroy(error));
    stream.on('close', () => this.destroy(stream.rstCode > http2.constants.NGHTTP2_NO_ERROR ? reset() : undefined));
    return stream;
  }

  #say(bytes: Buffer): void {
    for (let from = 0; from < bytes.length && !this.destroyed; from += this.readBuffer.length) {
      const length = bytes.copy(this.readBuffer, 0, from);
      if (!this.to.read(length)) this.#stream?.pause();
    }
  }
}

const reset = (): Error => Object.assign(new Error('the target reset the stream'), { code: 'ECONNRESET', errno: -104 });

/** Returns the answer of HTTP/1.1 that says the same. */
function answerOf(
  { ':status': status, ...headers }: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader,
  key: string,
): Buffer {
  const isOpen = status === 200;
  const upgrade = ['Upgrade: websocket', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${acceptFor(key)}`];
  const others = Object.entries(headers).filter(([name]) => !name.startsWith(':') && !isOwn(name));
  const lines = [
    isOpen ? 'HTTP/1.1 101 Switching Protocols' : `HTTP/1.1 ${status} HTTP/2`,
    ...(isOpen ? upgrade : []),
    ...others.map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.from([...lines, '', ''].join('\r\n'), 'latin1');
}

const isOwn = (name: string): boolean => replaced.has(name) || name === 'sec-websocket-accept';
