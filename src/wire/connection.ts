import type { Socket } from 'node:net';
import { behindInterim, endOfHead, largestHeadBytes } from '../units/http.js';
import { causeOf, type SocketError } from './causes.js';
import type { Dialer } from './dialer.js';
import { type FrameHandler, FrameReceiver, type SequenceScan } from './frames/frame-receiver.js';
import { closeCode, closeFrame, largestMessage, maskedPong, messageFrame, pingFrame } from './frames/masked-frame.js';
import { mostUnsentBytes, SendQueue } from './send-queue.js';
import { type AcceptedHead, acceptFor, randomKey } from './upgrade.js';
import type { Cause, DropMode } from './wire.js';

const nothing = Buffer.alloc(0);

/** connecting --TCP, TLS--> upgrading --101--> open. Each can go to `ended`, which ignores all events. */
type ConnectionState = 'connecting' | 'upgrading' | 'open' | 'ended';

/** Durations of establishing TCP (and TLS): the whole, and the part that is at least the target's. */
export interface TcpTimes {
  tcpNs: number;
  tcpLeastNs: number;
}

/** Holds the state that is needed until the WebSocket is open. */
interface Handshake extends TcpTimes {
  startedAtNs: number;
  key: string;
  /** First part of the upgrade answer, if a read brought only a part. */
  head: Buffer | null;
}

export interface ConnectionOwner {
  readonly dialer: Dialer;
  readonly scan: SequenceScan;
  readonly acceptedHead: AcceptedHead;
  offer(client: number): readonly string[];
  requestBeforeKey(client: number): string;
  nowNs(): number;
  /** The kernel was asked to connect for the client, or has taken all its bytes. */
  left(client: number): void;
  /** TCP (and TLS) is established. Returns the part of its duration that is at least the target's, in nanoseconds. */
  established(client: number): number;
  stampRead(): void;
  readStampNs(): number;
  opened(connection: Connection, tcp: TcpTimes, upgradeNs: number, subprotocol: string): void;
  delivery(client: number, sequence: number, flags: number, bytes: Buffer, start: number, end: number): void;
  message(client: number, bytes: Uint8Array, isBinary: boolean): void;
  pong(client: number, payload: Uint8Array): void;
  /** The target answered the upgrade without opening a WebSocket. */
  turnedAway(client: number, answer: Uint8Array): void;
  /** A close frame was sent, so the socket must be gone after a bounded time. */
  closing(connection: Connection): void;
  /** The client's connection ended. Its socket may stay until `socketClosed`. */
  ended(connection: Connection, cause: Cause, wasOpen: boolean): void;
  socketClosed(connection: Connection): void;
}

const owned = Symbol('connection');

interface OwnedSocket extends Socket {
  [owned]: Connection;
}

/** One attempt of a client and its connection. Idle clients keep nothing else, so listeners find it by the socket. */
export class Connection implements FrameHandler {
  private state: ConnectionState = 'connecting';
  private handshake: Handshake | null;
  private receiver: FrameReceiver | null = null;
  /** Created when the kernel first did not take a message at once. */
  private queue: SendQueue<Buffer> | null = null;
  private readonly socket: OwnedSocket;

  constructor(
    readonly client: number,
    private readonly owner: ConnectionOwner,
  ) {
    this.handshake = { startedAtNs: owner.nowNs(), tcpNs: 0, tcpLeastNs: 0, key: randomKey(), head: null };
    const onLeft = (): void => {
      if (this.state === 'connecting') owner.left(client);
    };
    this.socket = owner.dialer.dial(client, (length) => this.read(length), onLeft) as OwnedSocket;
    this.socket[owned] = this;
    this.socket.on(owner.dialer.establishedEvent, onEstablished);
    this.socket.on('error', onError);
    this.socket.on('close', onClose);
  }

  send(message: string | Uint8Array, isData: boolean): boolean {
    if (this.state !== 'open') return false;
    const frame = messageFrame(message);
    this.queue ??= this.socket.writableLength > 0 ? this.openQueue() : null;
    if (this.queue !== null) return this.queue.send(frame, isData);
    this.socket.write(frame);
    return true;
  }

  /** True if the kernel has taken all sent bytes. TLS reports that only later, and leaves few bytes behind. */
  get hasLeft(): boolean {
    const isTaken = this.owner.dialer.isTls || this.socket.writableLength === 0;
    return isTaken && (this.queue === null || this.queue.unsentBytes === 0);
  }

  get unsent(): number {
    return this.queue?.unsent ?? 0;
  }

  private openQueue(): SendQueue<Buffer> {
    const { socket } = this;
    const flush = (): void => {
      if (this.state === 'open') this.queue?.flush();
    };
    // The callback runs when everything before it is written.
    socket.write(nothing, flush);
    return new SendQueue<Buffer>(
      () => socket.writableLength === 0,
      (frame) => socket.write(frame, flush),
    );
  }

  drop(mode: DropMode, cause: Cause): void {
    if (this.state === 'ended') return;
    if (this.state !== 'open' || mode === 'reset') this.abort();
    else if (mode === 'vanish') this.socket.pause();
    else this.sayClose(closeCode.normal);
    this.end(cause);
  }

  timeOut(): void {
    this.abort();
    this.end('connect-timeout');
  }

  dispose(): void {
    this.forget();
    this.abort();
  }

  established(): void {
    const { handshake, owner, socket } = this;
    if (handshake === null) return;
    handshake.tcpNs = owner.nowNs() - handshake.startedAtNs;
    this.state = 'upgrading';
    handshake.tcpLeastNs = owner.established(this.client);
    socket.setNoDelay(true);
    socket.write(`${owner.requestBeforeKey(this.client)}${handshake.key}${endOfHead}`, 'latin1');
    owner.left(this.client);
  }

  /** Takes one read from the shared buffer. Returns true, as Node pauses the socket for any other result. */
  private read(length: number): boolean {
    this.owner.stampRead();
    if (this.receiver !== null) this.receiver.receive(this.owner.dialer.readBuffer, 0, length);
    else if (this.handshake !== null) this.upgrade(this.handshake, length);
    return true;
  }

  failedWith(error: SocketError): void {
    this.end(causeOf(error, this.owner.dialer.isTls, this.state === 'open'));
  }

  socketClosed(): void {
    this.end('end-of-stream');
    this.owner.socketClosed(this);
  }

  private upgrade(handshake: Handshake, length: number): void {
    const { acceptedHead, dialer } = this.owner;
    const accept = acceptFor(handshake.key);
    const acceptedBytes = handshake.head === null ? acceptedHead.lengthIn(dialer.readBuffer, length, accept) : 0;
    if (acceptedBytes > 0) {
      this.opened(handshake, acceptedHead.subprotocol, dialer.readBuffer, acceptedBytes, length);
      return;
    }
    const read = dialer.readBuffer.subarray(0, length);
    const bytes = behindInterim(handshake.head === null ? read : Buffer.concat([handshake.head, read]));
    const headBytes = bytes.indexOf(endOfHead);
    if (headBytes > largestHeadBytes || (headBytes === -1 && bytes.length > largestHeadBytes)) {
      this.refuse('bad-upgrade:header size');
      return;
    }
    if (headBytes === -1) {
      handshake.head = bytes.length === 0 ? null : Buffer.from(bytes);
      return;
    }
    const end = headBytes + endOfHead.length;
    const answer = acceptedHead.judge(bytes.subarray(0, end), accept, this.owner.offer(this.client));
    if (!answer.isAccepted) {
      this.owner.turnedAway(this.client, bytes);
      this.refuse(answer.cause);
      return;
    }
    this.opened(handshake, answer.subprotocol, bytes, end, bytes.length);
  }

  /** Handles the open WebSocket. `bytes[start, end)` may hold frames. */
  private opened(handshake: Handshake, subprotocol: string, bytes: Buffer, start: number, end: number): void {
    this.state = 'open';
    this.handshake = null;
    const receiver = new FrameReceiver(this, this.owner.scan, largestMessage);
    this.receiver = receiver;
    this.owner.opened(this, handshake, this.owner.readStampNs() - handshake.startedAtNs, subprotocol);
    receiver.receive(bytes, start, end, true);
  }

  private refuse(cause: Cause): void {
    this.socket.destroy();
    this.end(cause);
  }

  delivery(sequence: number, flags: number, bytes: Buffer, start: number, end: number): void {
    this.owner.delivery(this.client, sequence, flags, bytes, start, end);
  }

  message(bytes: Uint8Array, isBinary: boolean): void {
    this.owner.message(this.client, bytes, isBinary);
  }

  ping(payload: Uint8Array): void {
    this.control(maskedPong(payload));
  }

  pong(payload: Uint8Array): void {
    this.owner.pong(this.client, payload);
  }

  sendPing(payload: Uint8Array): void {
    if (this.state === 'open') this.control(pingFrame(payload));
  }

  /** Sends a control frame, unless too many bytes wait. A target that pings but does not read gets no further pong. */
  private control(frame: Buffer): void {
    if (this.socket.writableLength < mostUnsentBytes) this.socket.write(frame);
  }

  closeReceived(code: number): void {
    this.sayClose(code === closeCode.none ? undefined : code);
    this.end(`close-code:${code}`);
  }

  failed(code: number, why: string): void {
    this.socket.end(closeFrame(code));
    this.owner.closing(this);
    this.end(`protocol-error:${why}`);
  }

  /** Sends a close frame. The server ends TCP and keeps its TIME_WAIT (RFC 6455, 7.1.1). */
  private sayClose(code: number | undefined): void {
    this.socket.write(closeFrame(code));
    this.owner.closing(this);
  }

  private end(cause: Cause): void {
    if (this.state === 'ended') return;
    const wasOpen = this.state === 'open';
    this.forget();
    this.owner.ended(this, cause, wasOpen);
  }

  private forget(): void {
    this.state = 'ended';
    this.handshake = null;
    this.receiver?.stop();
    this.receiver = null;
  }

  /**
   * Ends TCP by RST, which leaves no TIME_WAIT. Ports in TIME_WAIT make the kernel's search for a free port ten times
   * as slow. Node can't reset a socket that is not connected, uses TLS, or has a FIN under way. That fails with EINVAL
   * and loses the handle, and a thread with a lost handle never ends. Such a socket gets a FIN.
   */
  abort(): void {
    const { socket } = this;
    if (this.owner.dialer.isTls || socket.connecting || socket.writableEnded) socket.destroy();
    else socket.resetAndDestroy();
  }
}

function onEstablished(this: OwnedSocket): void {
  this[owned].established();
}

function onError(this: OwnedSocket, error: Error): void {
  this[owned].failedWith(error);
}

function onClose(this: OwnedSocket): void {
  this[owned].socketClosed();
}
