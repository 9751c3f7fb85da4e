import { constants, createInflateRaw } from 'node:zlib';
import { parseCompression } from '../units/http.js';
import { largestMessage } from './frames/masked-frame.js';

/** What clients offer of permessage-deflate (RFC 7692): its parameters, as in the header. */
export interface CompressionOffer {
  parameters: string;
  /** True if a client fails whose target does not choose it. */
  isRequired: boolean;
}

/** Returns the offer of a run. Undefined if it offers none. */
export function compressionOffered({
  compression,
  compressionOptions: parameters,
}: {
  compression: 'off' | 'offer' | 'require';
  compressionOptions: string;
}): CompressionOffer | undefined {
  return compression === 'off' ? undefined : { parameters, isRequired: compression === 'require' };
}

/** What a target chose, and how it compresses. What clients send stays uncompressed, as RFC 7692 allows. */
export interface Compression {
  parameters: string;
  windowBits: number;
  keepsContext: boolean;
}

const extension = 'permessage-deflate';

/** Returns the header's value for an offer. */
export function extensionOffered({ parameters }: CompressionOffer): string {
  return [extension, ...(parameters === '' ? [] : [parameters])].join('; ');
}

/** Returns what a target chose of an offer, by its answer's header. Undefined if that breaks RFC 7692. */
export function compressionChosen(header: string, offer: CompressionOffer): Compression | undefined {
  const [name = '', ...parts] = header.split(';');
  if (name.trim() !== extension) return undefined;
  const parameters = parts.map((each) => each.trim()).join('; ');
  const [chosen, offered] = [parseCompression(parameters, false), parseCompression(offer.parameters, true)];
  if (chosen === undefined || offered === undefined) return undefined;
  const [ofServer, ofClient] = ['server_max_window_bits', 'client_max_window_bits'];
  const windowBits = chosen.get(ofServer) ?? 15;
  const isWithin = windowBits <= (offered.get(ofServer) ?? 15) && (!chosen.has(ofClient) || offered.has(ofClient));
  const keepsContext = !chosen.has('server_no_context_takeover');
  const isKept = !keepsContext || !offered.has('server_no_context_takeover');
  return isWithin && isKept ? { parameters, windowBits, keepsContext } : undefined;
}

/** What Node's streams of zlib have beneath them. It works at once, where the stream takes a turn per message. */
interface ZlibHandle {
  writeSync(
    flush: number,
    ...of: [input: Uint8Array, at: number, length: number, output: Uint8Array, at: number, length: number]
  ): void;
  reset(): void;
  close(): void;
  onerror: (message: string) => void;
}

/** The end of a message that its sender left out (section 7.2.1). */
const tail = Uint8Array.from([0, 0, 0xff, 0xff]);

/** Output of the last message. All inflaters of a thread share it. */
let output = Buffer.allocUnsafeSlow(65_536);

/** Inflates the messages of a connection, or of many whose senders keep no context. */
export class Inflater {
  /** Created for the first message, as an idle connection needs none. */
  #handle: ZlibHandle | undefined;
  /** Room left in the output and bytes left of the input, as zlib writes them. */
  #left = new Uint32Array(2);
  #length = 0;
  #isWrong = false;

  constructor(
    private readonly compression: Pick<Compression, 'windowBits' | 'keepsContext'>,
    private readonly counts = { deflatedBytes: 0, inflatedBytes: 0 },
  ) {}

  #open(): ZlibHandle {
    // zlib compresses with a window of 512 bytes where 256 are asked for.
    const stream = createInflateRaw({ windowBits: Math.max(9, this.compression.windowBits), chunkSize: 64 });
    const inner = stream as unknown as { _handle: ZlibHandle; _writeState: Uint32Array<ArrayBuffer> };
    inner._handle.onerror = () => {
      this.#isWrong = true;
    };
    this.#left = inner._writeState;
    return inner._handle;
  }

  /** Returns the message in `bytes[start, end)`, valid until the next call. Returns what is wrong with it, in words. */
  inflate(bytes: Uint8Array, start: number, end: number): Buffer | string {
    this.#handle ??= this.#open();
    this.#length = 0;
    this.#write(this.#handle, bytes, start, end - start, constants.Z_NO_FLUSH);
    this.#write(this.#handle, tail, 0, tail.length, constants.Z_SYNC_FLUSH);
    this.counts.deflatedBytes += end - start;
    this.counts.inflatedBytes += this.#length;
    if (this.#isWrong) return 'wrong compressed data';
    if (this.#length > largestMessage) return 'message too big';
    // Of a stream that has ended, the tail is left over.
    if (!this.compression.keepsContext || (this.#left[1] as number) > 0) this.#handle.reset();
    return output.subarray(0, this.#length);
  }

  #write(handle: ZlibHandle, input: Uint8Array, at: number, length: number, flush: number): void {
    let taken = 0;
    while (!this.#isWrong && this.#length <= largestMessage) {
      const room = output.length - this.#length;
      handle.writeSync(flush, input, at + taken, length - taken, output, this.#length, room);
      const [roomLeft, inputLeft] = this.#left as unknown as [number, number];
      this.#length += room - roomLeft;
      taken = length - inputLeft;
      if (roomLeft > 0) return;
      const larger = Buffer.allocUnsafeSlow(output.length * 2);
      output.copy(larger, 0, 0, this.#length);
      output = larger;
    }
  }

  close(): void {
    this.#handle?.close();
    this.#handle = undefined;
  }
}

/** Holds the inflaters of an engine's clients whose targets chose compression. */
export class Inflaters {
  readonly #byClient = new Map<number, Inflater>();
  readonly counts = { compressedClients: 0, deflatedBytes: 0, inflatedBytes: 0 };
  readonly #shared = new Inflater({ windowBits: 15, keepsContext: false }, this.counts);
  /** What the first target chose. */
  chosen: string | undefined;

  opened(client: number, compression: Compression | undefined): void {
    if (compression === undefined) return;
    this.counts.compressedClients++;
    this.chosen ??= compression.parameters;
    this.#byClient.set(client, compression.keepsContext ? new Inflater(compression, this.counts) : this.#shared);
  }

  /** Returns the inflater of a client, or undefined if its messages are not compressed. */
  of(client: number): Inflater | undefined {
    return this.#byClient.get(client);
  }

  forget(client: number): void {
    const inflater = this.#byClient.get(client);
    if (inflater !== this.#shared) inflater?.close();
    this.#byClient.delete(client);
  }

  stop(): void {
    for (const inflater of this.#byClient.values()) inflater.close();
    this.#byClient.clear();
    this.#shared.close();
  }
}

/** Returns the figures of an engine's inflaters. Empty without an offer. */
export function inflated(inflaters: Inflaters | undefined) {
  return inflaters && { ...inflaters.counts, ...(inflaters.chosen !== undefined && { chosen: inflaters.chosen }) };
}
