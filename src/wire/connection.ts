import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { causeOf, type SocketError } from './causes.js';
import type { Inflaters } from './deflate.js';
import type { Deadlines, Dialer, SocketReceiver } from './dialer.js';
import { type FrameHandler, FrameReceiver } from './frames/frame-receiver.js';
import { closeCode, closeFrame, largestMessage, maskedPong, messageFrame, pingFrame } from './frames/masked-frame.js';
import type { SequenceScan } from './frames/sequence-scan.js';
import { mostUnsentBytes, queueBehind, type SendQueue } from './send-queue.js';
import type { Accepted, Handshake } from './upgrade.js';
import type { Cause, DropMode, WireSink } from './wire.js';

const nothing = Buffer.alloc(0);

/** connecting --TCP, proxy, TLS--> upgrading --101--> open --our close--> closing. Each can go to `ended`, the last. */
type ConnectionState = 'connecting' | 'upgrading' | 'open' | 'closing' | 'ended';

export interface ConnectionOwner {
  readonly dialer: Dialer;
  readonly scan: SequenceScan;
  /** Left out if no compression is offered. */
  readonly inflaters: Inflaters | undefined;
  nowNs(): number;
  /** The kernel was asked to connect for the client, or has taken all its bytes. */
  left(client: number): void;
  /** TCP is established. Returns the part of its duration that is at least the target's, in nanoseconds. */
  established(client: number): number;
  /** TLS is established. Returns the same for TCP and TLS. */
  shaken(client: number, socket: TLSSocket): number;
  stampRead(): void;
  readStampNs(): number;
  opened(connection: Connection, tcp: Handshake, upgradeNs: number, subprotocol: string): void;
  delivery(client: number, ...of: Parameters<FrameHandler['delivery']>): void;
  message(client: number, bytes: Uint8Array, isBinary: boolean): void;
  pong(client: number, payload: Uint8Array): void;
  readonly sink: Pick<WireSink, 'turnedAway'>;
  /** Connections that we began to close, until the target's close frame. */
  readonly awaitedCloses: Deadlines<Connection>;
  /** Connections between the last close frame and the end of TCP. */
  readonly closings: Deadlines<Connection>;
  /** The client's connection ended. Its socket may stay until `socketClosed`. */
  ended(connection: Connection, cause: Cause, wasOpen: boolean, code: number, reason: string): void;
  socketClosed(connection: Connection): void;
}

/** One attempt of a client and its connection. Idle clients keep nothing else. */
export class Connection implements FrameHandler, SocketReceiver {
  private state: ConnectionState = 'connecting';
  private receiver: FrameReceiver | null = null;
  /** Created when the kernel first did not take a message at once. */
  private queue: SendQueue<Buffer> | null = null;
  private socket: Socket;
  /** Bytes that may still be read. Below zero if a read took more. */
  private mayRead = Number.POSITIVE_INFINITY;

  constructor(
    readonly client: number,
    private readonly owner: ConnectionOwner,
    private handshake: Handshake | null,
    private readonly identity: number,
  ) {
    this.socket = owner.dialer.dial(client, identity, this);
  }

  dialled(): void {
    if (this.state === 'connecting') this.owner.left(this.client);
  }

  send(message: string | Uint8Array, isData: boolean): boolean {
    if (this.state !== 'open') return false;
    const frame = messageFrame(message);
    this.queue ??= this.socket.writableLength > 0 ? queueBehind(this.socket, this) : null;
    if (this.queue !== null) return this.queue.send(frame, isData);
    this.socket.write(frame);
    return true;
  }

  /** Sends a close frame behind all that waits, and goes on to read. */
  close(code: number, reason: string): void {
    if (this.state !== 'open') {
      if (this.state !== 'closing') this.drop('reset', 'ours');
      return;
    }
    this.state = 'closing';
    const frame = closeFrame(code, reason);
    if (this.queue === null) this.socket.write(frame);
    else this.queue.add(frame, false);
    this.owner.awaitedCloses.add(this);
  }

  get buffered(): number {
    return this.socket.writableLength + (this.queue?.unsentBytes ?? 0);
  }

  /** True if the kernel has taken all sent bytes. TLS reports that only later, and leaves few bytes behind. */
  get hasLeft(): boolean {
    const isTaken = this.owner.dialer.isTls || this.socket.writableLength === 0;
    return isTaken && (this.queue === null || this.queue.unsentBytes === 0);
  }

  get unsent(): number {
    return this.queue?.unsent ?? 0;
  }

  drop(mode: DropMode, cause: Cause): void {
    if (this.state === 'ended') return;
    if (!this.isEstablished || mode === 'reset') this.abort();
    else if (mode === 'vanish') this.socket.pause();
    else this.sayClose(closeCode.normal);
    this.end(cause);
  }

  dispose(): void {
    this.forget();
    this.abort();
  }

  established(): void {
    const { handshake, owner, socket } = this;
    if (handshake === null) return;
    const { tunnel } = owner.dialer;
    socket.setNoDelay(true);
    if (tunnel === '') this.reached(handshake);
    else this.say(tunnel);
  }

  /** TCP leads to the target. */
  private reached(handshake: Handshake): void {
    handshake.tcpNs = this.owner.nowNs() - handshake.startedAtNs;
    handshake.tcpLeastNs = this.owner.established(this.client);
    if (!this.owner.dialer.isTls) this.askToUpgrade(handshake);
  }

  /** Takes the proxy's answer, behind which the target says nothing unasked. */
  private throughProxy(handshake: Handshake, length: number): void {
    const { dialer } = this.owner;
    const answer = handshake.takeOfProxy(dialer.readBuffer.subarray(0, length));
    if (answer?.refusal !== undefined) this.refused(answer.refusal);
    if (answer === undefined || answer.refusal !== undefined) return;
    if (dialer.isTls) this.socket = dialer.secure(this.socket, this.identity, this);
    this.reached(handshake);
  }

  shaken(): void {
    if (this.handshake === null) return;
    this.handshake.shaken(this.owner.nowNs(), this.owner.shaken(this.client, this.socket as unknown as TLSSocket));
    this.askToUpgrade(this.handshake);
  }

  private askToUpgrade(handshake: Handshake): void {
    this.state = 'upgrading';
    this.say(handshake.request);
  }

  private say(request: string): void {
    this.socket.write(request, 'latin1');
    this.owner.left(this.client);
  }

  readAtMost(bytes: number): void {
    if (!this.isEstablished) return;
    this.mayRead = Math.min(0, this.mayRead) + bytes;
    if (this.mayRead > 0) this.socket.resume();
    else this.socket.pause();
  }

  /** Takes one read from the shared buffer. Returns whether Node may read on. */
  read(length: number): boolean {
    this.owner.stampRead();
    if (this.receiver !== null) this.receiver.receive(this.owner.dialer.readBuffer, 0, length);
    else if (this.handshake !== null) this.answered(this.handshake, length);
    this.mayRead -= length;
    return this.mayRead > 0;
  }

  failedWith(error: SocketError): void {
    this.endedBy(causeOf(error, this.owner.dialer.isTls, this.isEstablished));
  }

  socketClosed(): void {
    this.endedBy('end-of-stream');
    this.owner.socketClosed(this);
  }

  private answered(handshake: Handshake, length: number): void {
    if (this.state === 'connecting') return void this.throughProxy(handshake, length);
    const taken = handshake.take(this.owner.dialer.readBuffer, length);
    if (taken === undefined) return;
    const { answer, bytes, end } = taken;
    if (answer.isAccepted) return void this.opened(handshake, answer, bytes, end);
    if (end > 0) this.owner.sink.turnedAway?.(this.client, bytes);
    this.refused(answer.cause);
  }

  private refused(cause: Cause): void {
    this.socket.destroy();
    this.end(cause);
  }

  /** Handles the open WebSocket. `bytes` from `start` on may hold frames. */
  private opened(handshake: Handshake, answer: Accepted, bytes: Buffer, start: number): void {
    const { client, owner } = this;
    this.state = 'open';
    this.handshake = null;
    const receiver = new FrameReceiver(this, owner.scan, largestMessage);
    this.receiver = receiver;
    owner.inflaters?.opened(client, answer.compression);
    receiver.inflater = owner.inflaters?.of(client);
    owner.opened(this, handshake, owner.readStampNs() - handshake.startedAtNs, answer.subprotocol);
    receiver.receive(bytes, start, bytes.length, true);
  }

  delivery(sequence: number, flags: number, bytes: Buffer, start: number, end: number, isBinary: boolean): void {
    this.owner.delivery(this.client, sequence, flags, bytes, start, end, isBinary);
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
    this.control(pingFrame(payload));
  }

  /** Sends a control frame, unless too many bytes wait. A target that pings but does not read gets no further pong. */
  private control(frame: Buffer): void {
    if (this.state === 'open' && this.socket.writableLength < mostUnsentBytes) this.socket.write(frame);
  }

  closeReceived(code: number, reason: string): void {
    this.sayClose(code);
    this.endedBy(`close-code:${code}`, code, reason);
  }

  failed(code: number, why: string): void {
    this.socket.end(this.hasSaidClose ? nothing : closeFrame(code));
    this.owner.closings.add(this);
    this.end(`protocol-error:${why}`);
  }

  /** Sends a close frame, if none was. The server ends TCP and keeps its TIME_WAIT (RFC 6455, 7.1.1). */
  private sayClose(code: number): void {
    if (!this.hasSaidClose) this.socket.write(closeFrame(code));
    this.owner.closings.add(this);
  }

  /** False if our close frame waits behind others, which are given up with the connection. */
  private get hasSaidClose(): boolean {
    return this.state === 'closing' && (this.queue === null || this.queue.unsentBytes === 0);
  }

  get isEstablished(): boolean {
    return this.state === 'open' || this.state === 'closing';
  }

  /** Ends by what the target did. After our close frame, that is as we wished. */
  private endedBy(cause: Cause, code: number = closeCode.abnormal, reason = ''): void {
    this.end(this.state === 'closing' ? 'ours' : cause, code, reason);
  }

  private end(cause: Cause, code: number = closeCode.abnormal, reason = ''): void {
    if (this.state === 'ended') return;
    const wasOpen = this.isEstablished;
    this.forget();
    this.owner.ended(this, cause, wasOpen, code, reason);
  }

  private forget(): void {
    this.state = 'ended';
    this.handshake = null;
    this.receiver?.stop();
    this.receiver = null;
  }

  /**
   * Ends TCP by RST, as ports in TIME_WAIT make the kernel's search for a free port ten times as slow. Node can't reset
   * a socket that is not connected, uses TLS, or has a FIN under way: a thread with such a handle never ends.
   */
  abort(): void {
    const { socket } = this;
    if (this.owner.dialer.isTls || socket.connecting || socket.writableEnded) socket.destroy();
    else socket.resetAndDestroy();
  }
}
