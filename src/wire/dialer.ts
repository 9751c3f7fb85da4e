import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import net from 'node:net';
import type { DuplexOptions } from 'node:stream';
import tls from 'node:tls';
import { tlsOptions } from './tls.js';
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

export interface Dialer {
  isTls: boolean;
  /** Shared by all sockets of the engine. Valid only during a read callback. */
  readBuffer: Buffer;
  /**
   * Starts to connect. `onRead` runs per read (over TLS: per record), `onLeft` once the kernel was asked to connect.
   * `client` picks the source address.
   */
  dial(client: number, onRead: (length: number) => boolean, onLeft: () => void): net.Socket;
}

/** Returns where a `ws:` or `wss:` address leads to. */
export function addressOf(address: string): { host: string; port: number; isTls: boolean } {
  const { protocol, hostname, port } = new URL(address);
  const isTls = protocol === 'wss:';
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (isTls ? 443 : 80), isTls };
}

/** Prepares what all connections share. Throws for a wrong URL or a `caPem` without a certificate. */
export function createDialer(setup: WireSetup): Dialer {
  const { host, port, isTls } = addressOf(setup.url);
  const isName = net.isIP(host) === 0;
  const lookup = isName ? createLookupOnce() : undefined;
  const secure = isTls ? tlsOptions(setup, host) : undefined;
  const readBuffer = Buffer.allocUnsafeSlow(readBufferBytes);
  const { localAddresses } = setup;

  return {
    isTls,
    readBuffer,
    dial: (client, onRead, onLeft) => {
      const localAddress = localAddresses[client % localAddresses.length];
      const options: net.TcpNetConnectOpts & DuplexOptions = {
        host,
        port,
        lookup,
        localAddress,
        // A name with addresses of both families must resolve to the family of the source address.
        family: localAddress === undefined ? undefined : net.isIP(localAddress),
        onread: { buffer: readBuffer, callback: onRead },
        // These are Node's own values for its copy of the options. Added one by one later, they would give every copy
        // its own shape. No inline cache hits on those: a socket cost four times as much.
        allowHalfOpen: false,
        emitClose: false,
        autoDestroy: true,
        decodeStrings: false,
      };
      const socket = secure === undefined ? net.connect(options) : tls.connect({ ...options, ...secure });
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
