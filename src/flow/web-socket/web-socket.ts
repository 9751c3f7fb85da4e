import { EventEmitter } from 'node:events';
import type { Cause } from '../../wire/wire.js';
import type { FlowSocket, SocketEvents, SocketRequest } from '../sockets/sockets.js';
import { callListener, EventListeners, type SocketEvent, type SocketListener } from './event-listeners.js';
import { readArguments } from './web-socket-request.js';

/** What the `WebSocket` class of one client needs. */
export interface WebSocketMeans {
  /** Opens a socket of the client. Marked messages come to its events, too. */
  open(request: Omit<SocketRequest, 'client'>): FlowSocket;
  base: URL;
  /** Returns the value of the header `Cookie` for that address, if the client has cookies. */
  cookies(url: URL): string | undefined;
  /** Runs work that enters the user's code, and catches what that throws. Calls are never nested. */
  entered(work: () => void): void;
  /** Called for each message that the engine took. */
  sent(): void;
}

/** Returns the class whose sockets belong to one client: a face of one class, as shapes of its own take kilobytes. */
export function clientWebSocket(means: WebSocketMeans): typeof globalThis.WebSocket {
  // Classes of users extend it.
  const construct = (all: typeof WebSocket, given: unknown[], own: { prototype: unknown }): WebSocket =>
    Reflect.construct(all, [means, ...given], own.prototype === all.prototype ? all : (own as typeof WebSocket));
  return new Proxy(WebSocket, { construct }) as unknown as typeof globalThis.WebSocket;
}

const states = { CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3 } as const;
const mostReasonBytes = 123;
const mostPingBytes = 125;

type Handler = ((event: never) => unknown) | null;
type Data = string | ArrayBufferLike | ArrayBufferView;
type SendOptions = { binary?: boolean } | ((error?: Error) => void) | undefined;

/**
 * A WHATWG `WebSocket` on the engines of the worker. As an emitter it has what libraries on Node need of the class of
 * `ws`: `on`, `once`, `off`, `terminate`, `ping` and `_socket`, with the arguments of its events.
 */
class WebSocket extends EventEmitter {
  static readonly CONNECTING = states.CONNECTING;
  static readonly OPEN = states.OPEN;
  static readonly CLOSING = states.CLOSING;
  static readonly CLOSED = states.CLOSED;
  readonly CONNECTING = states.CONNECTING;
  readonly OPEN = states.OPEN;
  readonly CLOSING = states.CLOSING;
  readonly CLOSED = states.CLOSED;

  onopen: Handler = null;
  onmessage: Handler = null;
  onerror: Handler = null;
  onclose: Handler = null;
  binaryType: 'blob' | 'arraybuffer' | 'nodebuffer' = 'blob';
  readonly url: string;
  readonly extensions = '';
  protocol = '';
  readyState: number = states.CONNECTING;
  /** The engine reads a socket whatever its user does, so `pause` and `resume` change nothing. */
  readonly isPaused = false;

  readonly #means: WebSocketMeans;
  readonly #socket: FlowSocket;
  readonly #origin: string;
  readonly #listeners = new EventListeners();
  /** Set by the first listener of the emitter. Most users have none, and to count them costs more than to call one. */
  #isEmitter = false;
  #wasOpen = false;
  /** Bytes given to `send` after the close. They are never sent. */
  #lostBytes = 0;
  #socketFace: SocketFace | undefined;

  constructor(means: WebSocketMeans, address: string | URL, protocols: unknown, options: unknown) {
    super();
    const { url, subprotocols, headers } = readArguments(means.base, address, protocols, options);
    const cookies = means.cookies(url);
    if (cookies !== undefined && !Object.keys(headers).some((name) => name.toLowerCase() === 'cookie'))
      headers.Cookie = cookies;
    this.#means = means;
    this.url = url.href;
    this.#origin = `${url.protocol}//${url.host}`;
    this.#socket = means.open({ url, subprotocols, headers, seesMarked: true, events: this.#events() });
  }

  #events(): SocketEvents {
    return {
      opened: (subprotocol) => this.#opened(subprotocol),
      message: (bytes, isBinary, receivedAtNs) => this.#received(bytes, isBinary, receivedAtNs),
      pong: (payload) => this.#emit('pong', Buffer.from(payload)),
      // Our own calls may end the socket at once. Their events follow the user's code that made them.
      closed: (cause, _wasOpen, code, reason) => queueMicrotask(() => this.#closed(cause, code, reason)),
    };
  }

  #opened(subprotocol: string): void {
    if (this.readyState !== states.CONNECTING) return;
    this.readyState = states.OPEN;
    this.#wasOpen = true;
    this.protocol = subprotocol;
    this.#emit('open');
    this.#dispatch('open', {});
  }

  #received(bytes: Uint8Array, isBinary: boolean, receivedAtNs: number): void {
    // `ws` gives what comes before the target's close frame, WHATWG does not.
    if (this.#isEmitter && this.listenerCount('message') > 0) {
      const isPlain = !isBinary || this.binaryType !== 'arraybuffer';
      this.#emit('message', isPlain ? Buffer.from(bytes) : arrayBufferOf(bytes), isBinary);
    }
    const isAwaited = this.onmessage !== null || this.#listeners.has('message');
    if (!isAwaited || this.readyState !== states.OPEN) return;
    const data = isBinary ? this.#binary(bytes) : textOf(bytes);
    // One literal, which costs a third of spread parts.
    const event: SocketEvent & Record<'data' | 'origin' | 'lastEventId' | 'ports', unknown> = {
      type: 'message',
      target: this,
      currentTarget: this,
      timeStamp: receivedAtNs / 1e6,
      data,
      origin: this.#origin,
      lastEventId: '',
      ports: [],
    };
    this.#hand(this.onmessage, event);
  }

  #binary(bytes: Uint8Array): Buffer | ArrayBuffer | Blob {
    if (this.binaryType === 'nodebuffer') return Buffer.from(bytes);
    return this.binaryType === 'arraybuffer' ? arrayBufferOf(bytes) : new Blob([arrayBufferOf(bytes)]);
  }

  #closed(cause: Cause, code: number, reason: string): void {
    this.readyState = states.CLOSED;
    const wasClean = code !== 1006;
    const face = this.#socketFace;
    if (face !== undefined) this.#means.entered(() => void face.emit('finish'));
    if (!wasClean && (!this.#wasOpen || cause !== 'ours')) {
      const error = new Error(`WebSocket to ${this.#origin}: ${cause}`, { cause });
      if (this.listenerCount('error') > 0) this.#emit('error', error);
      this.#dispatch('error', { message: error.message, error });
    }
    this.#emit('close', code, Buffer.from(reason));
    this.#dispatch('close', { code, reason, wasClean, cause });
  }

  #emit(type: string, ...words: unknown[]): void {
    if (this.listenerCount(type) > 0) this.#means.entered(() => void this.emit(type, ...words));
  }

  #dispatch(type: 'open' | 'error' | 'close', more: object): void {
    const timeStamp = performance.now();
    const event: SocketEvent = { type, target: this, currentTarget: this, timeStamp, ...more };
    this.#hand(this[`on${type}`], event);
  }

  #hand(handler: Handler, event: SocketEvent): void {
    if (typeof handler === 'function') this.#means.entered(() => callListener(this, handler, event));
    this.#listeners.dispatch(this, event, this.#means);
  }

  /** Others that add a listener call this one or `prependListener`. */
  override on(type: string, listener: (...words: never[]) => void): this {
    this.#isEmitter = true;
    return super.on(type, listener as (...words: unknown[]) => void);
  }

  override addListener(type: string, listener: (...words: never[]) => void): this {
    return this.on(type, listener);
  }

  override prependListener(type: string, listener: (...words: never[]) => void): this {
    this.#isEmitter = true;
    return super.prependListener(type, listener as (...words: unknown[]) => void);
  }

  addEventListener(type: string, listener: SocketListener | null, options?: unknown): void {
    this.#listeners.add(type, listener, options);
  }

  removeEventListener(type: string, listener: SocketListener | null): void {
    this.#listeners.remove(type, listener);
  }

  dispatchEvent(event: SocketEvent): boolean {
    this.#listeners.dispatch(this, event, { entered: (work) => work() });
    return true;
  }

  get bufferedAmount(): number {
    return this.#socket.buffered + this.#lostBytes;
  }

  /** `options.binary` sends bytes as text, or text as bytes. The callback follows when the data is handed over. */
  send(data: Data, options?: SendOptions, callback?: (error?: Error) => void): void {
    if (this.readyState === states.CONNECTING)
      throw new DOMException('the WebSocket is still connecting', 'InvalidStateError');
    if ((data as unknown) instanceof Blob)
      throw new TypeError(
        'WebSocket: expected text or bytes, received a Blob; send what its `arrayBuffer()` resolves to',
      );
    const done = typeof options === 'function' ? options : callback;
    const isBinary = typeof options === 'object' ? options.binary : undefined;
    const error = this.#sendNow(data, isBinary);
    if (done !== undefined) queueMicrotask(() => this.#means.entered(() => done(error)));
  }

  /** Returns what the callback of the send gets. */
  #sendNow(data: Data, isBinary: boolean | undefined): Error | undefined {
    let message = typeof data === 'string' ? data : bytesOf(data);
    if (isBinary === false) message = typeof message === 'string' ? message : textOf(message);
    if (isBinary === true) message = Buffer.from(message);
    if (this.readyState === states.OPEN && this.#socket.send(message)) {
      this.#means.sent();
      return undefined;
    }
    this.#lostBytes += Buffer.byteLength(message);
    // As WHATWG says of a full buffer: the WebSocket is failed.
    if (this.readyState === states.OPEN) this.#fail('unread');
    return new Error('the WebSocket is not open, or its target reads too little');
  }

  #fail(cause?: Cause): void {
    this.readyState = states.CLOSING;
    this.#socket.drop('reset', cause);
  }

  close(code?: number, reason = ''): void {
    if (code !== undefined && code !== 1000 && !(code >= 3000 && code <= 4999))
      throw new DOMException(`close code ${code}: expected 1000, or 3000 to 4999`, 'InvalidAccessError');
    if (Buffer.byteLength(reason) > mostReasonBytes)
      throw new DOMException(`close reason: expected at most ${mostReasonBytes} bytes`, 'SyntaxError');
    if (this.readyState === states.CONNECTING) this.#fail();
    if (this.readyState !== states.OPEN) return;
    this.readyState = states.CLOSING;
    this.#socket.close(code ?? (reason === '' ? 1005 : 1000), reason);
  }

  terminate(): void {
    if (this.readyState !== states.CLOSED) this.#fail();
  }

  ping(data: string | Uint8Array = ''): void {
    if (Buffer.byteLength(data) > mostPingBytes)
      throw new RangeError(`payload of a ping: expected at most ${mostPingBytes} bytes`);
    if (this.readyState === states.OPEN) this.#socket.ping(Buffer.from(data));
  }

  pause(): void {
    // As `isPaused` says.
  }

  resume(): void {
    // As `isPaused` says.
  }

  /** What streams over `ws` look at: whether all that they sent has ended. */
  get _socket(): SocketFace | null {
    if (!this.#wasOpen) return null;
    this.#socketFace ??= new SocketFace();
    this.#socketFace._writableState.finished = this.readyState === states.CLOSED;
    return this.#socketFace;
  }
}

class SocketFace extends EventEmitter {
  readonly _writableState = { finished: false };
}

function bytesOf(data: Exclude<Data, string>): Uint8Array {
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const isBuffer = data instanceof ArrayBuffer || data instanceof SharedArrayBuffer;
  return isBuffer ? new Uint8Array(data) : Buffer.from(String(data));
}

function textOf(bytes: Uint8Array): string {
  const { buffer, byteOffset, byteLength } = bytes;
  return (Buffer.isBuffer(bytes) ? bytes : Buffer.from(buffer, byteOffset, byteLength)).toString();
}

function arrayBufferOf(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
