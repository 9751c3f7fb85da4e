import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import net from 'node:net';
import type { DuplexOptions } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { firstHost, hostOf, proxyIn } from '../units/addresses.js';
import type { SocketError } from './causes.js';
import { Http2Connections } from './http2.js';
import { tlsConnector } from './tls.js';
import { eventLoop } from './turns.js';
import type { WireSetup } from './wire.js';

/** Longest time for a peer to end TCP after the close frames. */
export const closeTimeoutMs = 2000;

/** Longest time for a peer to answer our close frame. */
export const closeAnswerTimeoutMs = 5000;

/** Gives all members the same time limit. `onDue` gets those not deleted in time. One timer serves all. */
export class Deadlines<Member> {
  /** All limits are equal, so insertion order is deadline order. */
  private readonly dueAtNs = new Map<Member, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly timeoutMs: number,
    private readonly onDue: (member: Member) => void,
    private readonly nowNs: () => number = eventLoop.nowNs,
  ) {}

  add(member: Member): void {
    this.dueAtNs.set(member, this.nowNs() + this.timeoutMs * 1e6);
    this.timer ??= setTimeout(this.sweep, this.timeoutMs);
  }

  delete(member: Member): void {
    this.dueAtNs.delete(member);
  }

  clear(): Member[] {
    const members = [...this.dueAtNs.keys()];
    this.dueAtNs.clear();
    clearTimeout(this.timer);
    this.timer = undefined;
    return members;
  }

  private readonly sweep = (): void => {
    this.timer = undefined;
    for (const [member, dueAtNs] of this.dueAtNs) {
      const leftNs = dueAtNs - this.nowNs();
      if (leftNs > 0) {
        this.timer ??= setTimeout(this.sweep, Math.ceil(leftNs / 1e6));
        return;
      }
      this.dueAtNs.delete(member);
      this.onDue(member);
    }
  };
}

/** Large enough for libuv to take a burst on one socket in one read. */
const readBufferBytes = 65_536;

/** Receives what happens to a socket. */
export interface SocketReceiver {
  /** The kernel was asked to connect. */
  dialled(): void;
  established(): void;
  /** TLS is established. */
  shaken(): void;
  /** Takes a read from the shared buffer, over TLS a record. Returns whether Node may read on. */
  read(length: number): boolean;
  failedWith(error: SocketError): void;
  socketClosed(): void;
}

const receiver = Symbol('receiver');

/** Listeners find their receiver by the socket, so that idle clients keep none of their own. */
interface OwnedSocket extends net.Socket {
  [receiver]: SocketReceiver;
}

const listener = (tell: (to: SocketReceiver, error: Error) => void) =>
  function (this: OwnedSocket, error: Error): void {
    tell(this[receiver], error);
  };

const onEstablished = listener((to) => to.established());
const onShaken = listener((to) => to.shaken());
const onError = listener((to, error) => to.failedWith(error));
const onClose = listener((to) => to.socketClosed());

function listened<S extends net.Socket>(socket: S, to: SocketReceiver): S {
  const owned = socket as unknown as OwnedSocket;
  owned[receiver] = to;
  owned.on('secureConnect', onShaken).on('error', onError).on('close', onClose);
  return socket;
}

export interface Dialer {
  /** False over HTTP/2, whose connections make TLS before a client can ask for anything. */
  isTls: boolean;
  /** Shared by all sockets of the engine. Valid only during a read callback. */
  readBuffer: Buffer;
  /**
   * Starts to connect. `client` picks the source address, `identity` the certificate and the TLS session.
   */
  dial(client: number, identity: number, to: SocketReceiver): net.Socket;
  /** What a proxy is asked before anything else. Empty without one. */
  tunnel: string;
  /** Begins TLS on a socket that the proxy has connected to the target. */
  secure(socket: net.Socket, identity: number, to: SocketReceiver): TLSSocket;
}

/** Returns where a `ws:` or `wss:` address leads first, and the request for more if that is a proxy. */
export function firstHop({ url, proxy }: Pick<WireSetup, 'url' | 'proxy'>) {
  const target = addressOf(url);
  if (proxy === undefined) return { ...target, tunnel: '' };
  const { port, username, password } = proxyIn(proxy);
  const authority = `${new URL(url).hostname}:${target.port}`;
  const user = Buffer.from([username, password].map(decodeURIComponent).join(':')).toString('base64');
  const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`];
  if (username !== '') lines.push(`Proxy-Authorization: Basic ${user}`);
  const { isTls } = target;
  return { host: firstHost(url, proxy), port: Number(port) || 80, isTls, tunnel: [...lines, '', ''].join('\r\n') };
}

/** Returns where a `ws:` or `wss:` address leads to. */
export function addressOf(address: string): { host: string; port: number; isTls: boolean } {
  const { protocol, port } = new URL(address);
  const isTls = protocol === 'wss:';
  return { host: hostOf(address), port: Number(port) || (isTls ? 443 : 80), isTls };
}

/** Prepares what all connections share. Throws for a wrong URL or a `caPem` without a certificate. */
export function createDialer(setup: WireSetup): Dialer {
  const { host, port, isTls, tunnel } = firstHop(setup);
  const isName = net.isIP(host) === 0;
  const lookup = isName ? createLookupOnce() : undefined;
  const connector = tlsConnector(setup, addressOf(setup.url).host);
  const readBuffer = Buffer.allocUnsafeSlow(readBufferBytes);
  const { localAddresses } = setup;
  const localAddressOf = (client: number): string | undefined => localAddresses[client % localAddresses.length];

  if (setup.clientsPerHttp2 !== undefined) {
    const connections = new Http2Connections(
      setup.clientsPerHttp2,
      new URL(setup.url.replace(/^ws/, 'http')),
      readBuffer,
      (client, identity) => {
        const options = { host, port, lookup, localAddress: localAddressOf(client) };
        return (isTls ? connector(options, identity) : net.connect(options)).setNoDelay(true);
      },
    );
    const dial: Dialer['dial'] = (client, identity, to) => {
      const socket = listened(connections.dial(client, identity, to), to);
      return socket.on('connect', onEstablished);
    };
    return { isTls: false, readBuffer, tunnel, secure: (socket) => socket as TLSSocket, dial };
  }
  return {
    isTls,
    readBuffer,
    tunnel,
    secure(socket, identity, to) {
      // What it tells of errors and of its end comes by way of the other.
      socket.off('error', onError).off('close', onClose);
      const secure = listened(connector({ socket }, identity), to);
      // Node ignores `onread` beside a socket.
      return secure.on('data', (record: Buffer) => {
        readBuffer.set(record);
        if (!to.read(record.length)) secure.pause();
      });
    },
    dial(client, identity, to) {
      const localAddress = localAddressOf(client);
      const options: net.TcpNetConnectOpts & DuplexOptions = {
        host,
        port,
        lookup,
        localAddress,
        // A name with addresses of both families must resolve to the family of the source address.
        family: localAddress === undefined ? undefined : net.isIP(localAddress),
        onread: { buffer: readBuffer, callback: (length) => to.read(length) },
        // These are Node's own values for its copy of the options. Added one by one later, they would give every copy
        // its own shape. No inline cache hits on those: a socket cost four times as much.
        allowHalfOpen: false,
        emitClose: false,
        autoDestroy: true,
        decodeStrings: false,
      };
      const isSecure = isTls && tunnel === '';
      const socket = listened(isSecure ? connector(options, identity) : net.connect(options), to);
      socket.on('connect', onEstablished);
      const onLeft = (): void => to.dialled();
      // Node connects to an address in the next tick, and to a name right after its `lookup` event.
      if (isName) socket.once('lookup', () => process.nextTick(onLeft));
      else process.nextTick(onLeft);
      return socket;
    },
  };
}

/** Resolves each host name once. Thousands of lookups would queue and look like the target. Failures are not cached. */
export function createLookupOnce(resolve: typeof lookup = lookup): LookupFunction {
  const answers = new Map<string, Promise<LookupAddress[]>>();
  return (hostname, options, callback) => {
    const kind = `${options.family ?? 0}`;
    let answer = answers.get(kind);
    if (answer === undefined) {
      answer = resolve(hostname, { ...options, all: true });
      answers.set(kind, answer);
    }
    answer.then(
      (addresses) => {
        if (options.all === true) callback(null, addresses);
        else callback(null, addresses[0]!.address, addresses[0]!.family);
      },
      (error: NodeJS.ErrnoException) => {
        answers.delete(kind);
        callback(error, '');
      },
    );
  };
}
