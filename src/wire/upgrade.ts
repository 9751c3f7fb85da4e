import { hash, randomFillSync } from 'node:crypto';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { behindInterim, endOfHead, largestHeadBytes } from '../units/http.js';
import { filledUpgrade, hasSlots, valuesIn } from '../units/slots.js';
import { proxyCause } from './causes.js';
import { type Compression, type CompressionOffer, compressionChosen, extensionOffered } from './deflate.js';
import type { Cause, OpenRequest, TlsLeg, WireSetup } from './wire.js';

/** An upgrade that opens a WebSocket. */
export interface Accepted {
  isAccepted: true;
  subprotocol: string;
  compression?: Compression | undefined;
}

export type UpgradeAnswer = Accepted | { isAccepted: false; cause: Cause };

/** Returns the upgrade request (RFC 6455, 4.1) up to the value of its key. Throws a `TypeError` for a wrong header. */
export function requestBeforeKey({ url, compression, ...request }: SharedSetup): string {
  const { host, pathname, search } = new URL(url);
  return requestTo(host, { ...request, pathAndQuery: `${pathname}${search}` }, compression);
}

type SharedSetup = Pick<WireSetup, 'url' | 'headers' | 'subprotocols' | 'compression'>;

function requestTo(
  host: string,
  { pathAndQuery, headers: own, subprotocols }: OpenRequest,
  compression: CompressionOffer | undefined,
): string {
  if (!/^\/[!-~]*$/.test(pathAndQuery))
    throw new TypeError(`path ${JSON.stringify(pathAndQuery)}: expected / and visible ASCII`);
  const headers: [string, string][] = Object.entries(own);
  for (const [name, value] of headers) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  }
  if (!headers.some(([name]) => name.toLowerCase() === 'host')) headers.unshift(['Host', host]);
  headers.push(['Upgrade', 'websocket'], ['Connection', 'Upgrade'], ['Sec-WebSocket-Version', '13']);
  if (subprotocols.length > 0) headers.push(['Sec-WebSocket-Protocol', subprotocols.join(', ')]);
  if (compression) headers.push(['Sec-WebSocket-Extensions', extensionOffered(compression)]);
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${pathAndQuery} HTTP/1.1\r\n${lines.join('')}Sec-WebSocket-Key: `;
}

type ClientsSetup = SharedSetup & Pick<WireSetup, 'numberOf' | 'valuesOf'>;

/** The request of one connection up to its key, and the subprotocols that it offers. */
export interface Offer {
  beforeKey: string;
  subprotocols: readonly string[];
}

/** Returns a maker of each client's offer, by the setup or by a request of its own. Most clients share one. */
export function offerMaker(setup: ClientsSetup): (client: number, own?: OpenRequest) => Offer {
  const { host } = new URL(setup.url);
  const shared = offerOf(setup);
  const isShared = !hasSlots(setup);
  return (client, own) => {
    if (own !== undefined)
      return { beforeKey: requestTo(host, own, setup.compression), subprotocols: own.subprotocols };
    return isShared
      ? shared
      : offerOf({ ...filledUpgrade(setup, valuesIn(setup, client)), compression: setup.compression });
  };
}

function offerOf(setup: SharedSetup): Offer {
  return { beforeKey: requestBeforeKey(setup), subprotocols: setup.subprotocols };
}

/** Checks an answer's head without its empty line (RFC 6455, section 4.1). `accept` comes from `acceptFor`. */
export function readUpgradeAnswer(
  head: string,
  accept: string,
  offered: readonly string[],
  offer?: CompressionOffer,
): UpgradeAnswer {
  const [statusLine = '', ...lines] = head.split('\r\n');
  const status = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(statusLine)?.[1];
  if (status === undefined) return refused('bad-upgrade:status line');
  if (status !== '101') return refused(`http-status:${status}`);

  const headers = readHeaders(lines);
  if (headers === null) return refused('bad-upgrade:header line');
  if (headers.get('upgrade')?.toLowerCase() !== 'websocket') return refused('bad-upgrade:upgrade');
  if (!/(?:^|,)\s*upgrade\s*(?:,|$)/i.test(headers.get('connection') ?? '')) return refused('bad-upgrade:connection');
  if (headers.get('sec-websocket-accept') !== accept) return refused('bad-upgrade:accept key');
  const extensions = headers.get('sec-websocket-extensions');
  const compression = extensions && offer && compressionChosen(extensions, offer);
  if (extensions && !compression) return refused('bad-upgrade:extension');
  if (!compression && offer?.isRequired) return refused('bad-upgrade:no compression');
  const subprotocol = headers.get('sec-websocket-protocol');
  if (subprotocol !== undefined && !offered.includes(subprotocol)) return refused('bad-upgrade:subprotocol');
  return { isAccepted: true, subprotocol: subprotocol ?? '', ...(compression && { compression }) };
}

/** Returns the `Sec-WebSocket-Accept` for a key (section 4.2.2). */
export function acceptFor(key: string): string {
  // In one call: the native object of a stepwise hash lives until a full collection.
  return hash('sha1', `${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`, 'base64');
}

const keyBytes = 16;
const randomPool = Buffer.allocUnsafeSlow(256 * keyBytes);
let usedPoolBytes = randomPool.length;

/** Returns a new `Sec-WebSocket-Key`: 16 random bytes in base64 (section 4.1). */
export function randomKey(): string {
  if (usedPoolBytes === randomPool.length) {
    randomFillSync(randomPool);
    usedPoolBytes = 0;
  }
  usedPoolBytes += keyBytes;
  return randomPool.toString('base64', usedPoolBytes - keyBytes, usedPoolBytes);
}

export function refused(cause: Cause): UpgradeAnswer {
  return { isAccepted: false, cause };
}

/** Returns header values by lower-case name, repeated ones joined. Returns null for a line that is not a header. */
function readHeaders(lines: readonly string[]): Map<string, string> | null {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const match = /^([^\s:]+):[ \t]*(.*?)[ \t]*$/.exec(line);
    if (match === null) return null;
    const name = match[1]!.toLowerCase();
    const before = headers.get(name);
    headers.set(name, before === undefined ? match[2]! : `${before}, ${match[2]!}`);
  }
  return headers;
}

/** Holds the last accepted answer. Others differ in key and date. Comparing saves parsing, as costly as a socket. */
export class AcceptedHead {
  readonly isAccepted = true;
  private head: Buffer | null = null;
  private acceptAt = 0;
  subprotocol = '';
  compression: Compression | undefined;

  /** `offer` is that of all connections. */
  constructor(private readonly offer?: CompressionOffer) {}

  /**
   * Returns the length of the head in `bytes[start, end)` if it is the remembered one with `accept`, else 0. That is
   * right for another offer, too, if it has the subprotocol.
   */
  lengthIn(bytes: Buffer, end: number, accept: string, offered: readonly string[], start = 0): number {
    const { head, subprotocol } = this;
    if (head === null || end - start < head.length) return 0;
    if (subprotocol !== '' && !offered.includes(subprotocol)) return 0;
    head.write(accept, this.acceptAt, 'latin1');
    return head.compare(bytes, start, start + head.length) === 0 ? head.length : 0;
  }

  /** Returns the answer whose head `bytes` begin with, and where that ends. Undefined while it is not whole. */
  answerIn(
    bytes: Buffer,
    accept: string,
    offered: readonly string[],
  ): { answer: UpgradeAnswer; end: number } | undefined {
    const headBytes = bytes.indexOf(endOfHead);
    if (Math.max(headBytes, headBytes === -1 ? bytes.length : 0) > largestHeadBytes)
      return { answer: refused('bad-upgrade:header size'), end: 0 };
    if (headBytes === -1) return undefined;
    const end = headBytes + endOfHead.length;
    return { answer: this.judge(bytes.subarray(0, end), accept, offered), end };
  }

  /** Checks a head with its empty line, and remembers it if it is right. */
  judge(head: Buffer, accept: string, offered: readonly string[]): UpgradeAnswer {
    const answer = readUpgradeAnswer(
      head.toString('latin1', 0, head.length - endOfHead.length),
      accept,
      offered,
      this.offer,
    );
    if (answer.isAccepted) this.remember(head, accept, answer);
    return answer;
  }

  /** Copies an accepted head, unless it contains `accept` twice, so that its place is unclear. */
  remember(head: Buffer, accept: string, { subprotocol, compression }: Accepted): void {
    this.acceptAt = head.indexOf(accept);
    this.head = this.acceptAt === head.lastIndexOf(accept) ? Buffer.from(head) : null;
    this.subprotocol = subprotocol;
    this.compression = compression;
  }
}

/** Makes the upgrade requests of the native engine's clients, and checks the answers. */
export class Upgrades {
  readonly #offer: ReturnType<typeof offerMaker>;
  readonly #acceptedHead: AcceptedHead;
  /** Keys of the clients that wait for their answer, and the subprotocols that they offered. */
  readonly #asked = new Map<number, { key: string; subprotocols: readonly string[] }>();
  /** The last request. Others mostly differ only in their keys. */
  #request = Buffer.alloc(0);
  #beforeKey = '';

  /** Throws a `TypeError` for a wrong header. */
  constructor(setup: WireSetup) {
    this.#offer = offerMaker(setup);
    this.#acceptedHead = new AcceptedHead(setup.compression);
  }

  /** Returns the whole request with a new key. Valid until the next call. Throws as `offerMaker`. */
  request(client: number, own?: OpenRequest): Uint8Array {
    const key = randomKey();
    const { beforeKey, subprotocols } = this.#offer(client, own);
    if (beforeKey !== this.#beforeKey) {
      this.#request = Buffer.from(`${beforeKey}${key}${endOfHead}`, 'latin1');
      this.#beforeKey = beforeKey;
    } else this.#request.write(key, beforeKey.length, 'latin1');
    this.#asked.set(client, { key, subprotocols });
    return this.#request;
  }

  /** Checks the client's final answer, `bytes[start, end)`. A part of its head may be missing. */
  judge(client: number, bytes: Buffer, start: number, end: number): UpgradeAnswer {
    const accepted = this.#acceptedHead;
    const { key, subprotocols } = this.#asked.get(client)!;
    const accept = acceptFor(key);
    this.#asked.delete(client);
    if (accepted.lengthIn(bytes, end, accept, subprotocols, start) > 0) return accepted;
    const whole = accepted.answerIn(bytes.subarray(start, end), accept, subprotocols);
    return whole?.answer ?? refused('bad-upgrade:header size');
  }
}

/** Holds what a connection needs until its WebSocket is open. Times are in nanoseconds. */
export class Handshake {
  /** Durations of establishing TCP: the whole, and the part that is at least the target's. */
  tcpNs = 0;
  tcpLeastNs = 0;
  tls: TlsLeg | undefined;
  private readonly key = randomKey();
  /** First part of the answer, if a read brought only a part. */
  private head: Buffer | null = null;

  constructor(
    readonly startedAtNs: number,
    private readonly offer: Offer,
    private readonly acceptedHead: AcceptedHead,
  ) {}

  /** TLS was established at `nowNs`. `leastNs` of TCP and TLS is at least the target's. */
  shaken(nowNs: number, leastNs: number): void {
    this.tls = { tookNs: nowNs - this.startedAtNs - this.tcpNs, leastNs: leastNs - this.tcpLeastNs };
  }

  /** Takes a read of a proxy's answer. Returns undefined until its head is whole, then why it refuses, or nothing. */
  takeOfProxy(read: Buffer): { refusal: Cause | undefined } | undefined {
    const answer = this.head === null ? read : Buffer.concat([this.head, read]);
    const isWhole = answer.includes(endOfHead) || answer.length > largestHeadBytes;
    this.head = isWhole ? null : Buffer.from(answer);
    return isWhole ? { refusal: proxyCause(answer) } : undefined;
  }

  get request(): string {
    return `${this.offer.beforeKey}${this.key}${endOfHead}`;
  }

  /**
   * Takes the read `buffer[0, length)`. Returns undefined until the head is whole. `bytes` are all of the answer, with
   * what follows its head from `end` on.
   */
  take(buffer: Buffer, length: number): { answer: UpgradeAnswer; bytes: Buffer; end: number } | undefined {
    const { acceptedHead, offer } = this;
    const accept = acceptFor(this.key);
    const read = buffer.subarray(0, length);
    const acceptedBytes = this.head === null ? acceptedHead.lengthIn(read, length, accept, offer.subprotocols) : 0;
    if (acceptedBytes > 0) return { answer: acceptedHead, bytes: read, end: acceptedBytes };
    const bytes = behindInterim(this.head === null ? read : Buffer.concat([this.head, read]));
    const taken = acceptedHead.answerIn(bytes, accept, offer.subprotocols);
    if (taken === undefined) this.head = bytes.length === 0 ? null : Buffer.from(bytes);
    return taken && { ...taken, bytes };
  }
}
