import { isUtf8 } from 'node:buffer';
import { outsideText } from '../../units/text.js';
import type { Inflater } from '../deflate.js';
import { deliveryFlag } from '../wire.js';
import { closeCode, controlViolation, isSendableCloseCode, opcode } from './masked-frame.js';
import type { SequenceScan } from './sequence-scan.js';

/** Describes the reports of a receiver. Buffers and views are valid only during the call. */
export interface FrameHandler {
  /** Reports the message `bytes[start, end)` with a sequence number. `flags` are bits of `deliveryFlag`. */
  delivery(sequence: number, flags: number, bytes: Buffer, start: number, end: number, isBinary: boolean): void;
  message(bytes: Uint8Array, isBinary: boolean): void;
  ping(payload: Uint8Array): void;
  pong?(payload: Uint8Array): void;
  /** Reports the peer's close frame, with `closeCode.none` if it has no code. The reason is clean. Nothing follows. */
  closeReceived(code: number, reason: string): void;
  /** Reports that the peer broke RFC 6455. `code` is the code to close with. Nothing follows. */
  failed(code: number, why: string): void;
}

/**
 * A receiver moves between these states:
 *
 *     frame-start --some bytes of a frame--> inside-frame --its last byte--> frame-start
 *     any --close frame, violation, stop()--> ended (bytes are ignored)
 */
type ReceiverState = 'frame-start' | 'inside-frame' | 'ended';

/** Holds the first bytes of a frame that came in several reads. */
interface PartialFrame {
  bytes: Buffer;
  filled: number;
}

/** Holds the first payloads of a message that came in several frames (section 5.4). */
interface FragmentedMessage {
  opcode: number;
  fragments: Buffer[];
  /** Number of frames. Those without a payload leave no fragment. */
  frames: number;
  byteLength: number;
  isCompressed: boolean;
}

/** RSV1 (RFC 7692, section 6). */
const compressedBit = 0x40;

/** The most frames of a message, as in the `ws` package. */
const mostFrames = 16_384;

/** Implements the client's side of RFC 6455, section 5. Reads whole frames in place. Copies cut and fragmented ones. */
export class FrameReceiver {
  private state: ReceiverState = 'frame-start';
  private framesInRead = 0;
  /** Number of bytes of the read behind those that completed a partial frame. */
  private restBytes = 0;
  /** True if the reported frame is the last of its read. */
  endsRead = false;
  /** Set while messages of the peer may be compressed. */
  inflater: Pick<Inflater, 'inflate'> | undefined;
  private partial: PartialFrame | null = null;
  private fragmented: FragmentedMessage | null = null;

  constructor(
    private readonly handler: FrameHandler,
    private readonly scan: SequenceScan,
    private readonly largestMessage: number,
  ) {}

  /** Takes one read. `isBehindOther`: other bytes of the same read came before (the upgrade answer). */
  receive(bytes: Buffer, start: number, end: number, isBehindOther = false): void {
    this.framesInRead = isBehindOther ? 1 : 0;
    let at = start;
    while (at < end && this.state !== 'ended') {
      at = this.state === 'frame-start' ? this.startFrame(bytes, at, end) : this.resumeFrame(bytes, at, end);
    }
  }

  /** True if no frame or message is incomplete and the receiver has not ended. */
  get isIdle(): boolean {
    return this.state === 'frame-start' && this.fragmented === null;
  }

  get isEnded(): boolean {
    return this.state === 'ended';
  }

  /** Ignores further bytes and frees the kept ones. */
  stop(): void {
    this.state = 'ended';
    this.partial = null;
    this.fragmented = null;
  }

  private startFrame(bytes: Buffer, at: number, end: number): number {
    this.restBytes = 0;
    const next = this.readFrame(bytes, at, end, 0);
    if (next >= 0) return next;
    this.state = 'inside-frame';
    this.partial = { bytes: Buffer.allocUnsafe(-next), filled: 0 };
    return this.resumeFrame(bytes, at, end);
  }

  /** Fills the partial frame up to the needed length: first its header, then the whole frame. */
  private resumeFrame(bytes: Buffer, at: number, end: number): number {
    const partial = this.partial!;
    const taken = bytes.copy(partial.bytes, partial.filled, at, end);
    partial.filled += taken;
    if (partial.filled < partial.bytes.length) return end;
    this.restBytes = end - at - taken;
    const next = this.readFrame(partial.bytes, 0, partial.filled, deliveryFlag.fragmented);
    if (next < 0) {
      const larger = Buffer.allocUnsafe(-next);
      partial.bytes.copy(larger);
      partial.bytes = larger;
    } else if (this.state === 'inside-frame') {
      this.state = 'frame-start';
      this.partial = null;
    }
    return at + taken;
  }

  /** Reads the frame at `at` (section 5.2). Returns the next frame's start, or minus the number of bytes needed. */
  private readFrame(bytes: Buffer, at: number, end: number, flags: number): number {
    if (end - at < 2) return -2;
    const first = bytes[at]!;
    const second = bytes[at + 1]!;
    const isCompressed = (first & compressedBit) !== 0;
    if ((first & 0x30) !== 0 || (isCompressed && !this.mayBeCompressed(first & 0x0f)))
      return this.fail(closeCode.protocolError, 'reserved bits set');
    if ((second & 0x80) !== 0) return this.fail(closeCode.protocolError, 'masked by the server');

    const isFinal = (first & 0x80) !== 0;
    const op = first & 0x0f;
    const isControl = op >= opcode.close;
    let length = second & 0x7f;
    const violation = isControl ? controlViolation(op, isFinal, length) : this.dataViolation(op);
    if (violation !== null) return this.fail(closeCode.protocolError, violation);

    let headerBytes = 2;
    if (length === 126) {
      headerBytes = 4;
      if (end - at < headerBytes) return -headerBytes;
      length = bytes.readUInt16BE(at + 2);
    } else if (length === 127) {
      headerBytes = 10;
      if (end - at < headerBytes) return -headerBytes;
      length = bytes.readUInt32BE(at + 2) * 2 ** 32 + bytes.readUInt32BE(at + 6);
    }

    if (length + (this.fragmented?.byteLength ?? 0) > this.largestMessage) {
      return this.fail(closeCode.messageTooBig, 'message too big');
    }

    const payloadAt = at + headerBytes;
    const next = payloadAt + length;
    if (next > end) return -(headerBytes + length);
    this.endsRead = next === end && this.restBytes === 0;
    if (isControl) this.control(op, bytes.subarray(payloadAt, next));
    else
      this.data(
        op,
        isFinal,
        isCompressed,
        bytes,
        payloadAt,
        next,
        flags | (this.framesInRead > 0 ? deliveryFlag.coalesced : 0),
      );
    this.framesInRead++;
    return next;
  }

  /** Returns the violation of a data frame, or null. Only a continuation continues a message (section 5.4). */
  private dataViolation(op: number): string | null {
    if (op > opcode.binary) return 'reserved opcode';
    if (op === opcode.continuation) return this.fragmented === null ? 'continuation of nothing' : null;
    return this.fragmented === null ? null : 'message inside a fragmented message';
  }

  /** The first frame of a message says if all of it is compressed (RFC 7692, section 6). */
  private mayBeCompressed(op: number): boolean {
    return this.inflater !== undefined && (op === opcode.text || op === opcode.binary);
  }

  private data(
    op: number,
    isFinal: boolean,
    isCompressed: boolean,
    bytes: Buffer,
    start: number,
    end: number,
    flags: number,
  ): void {
    if (isFinal && op !== opcode.continuation) {
      this.whole(op === opcode.binary, isCompressed, bytes, start, end, flags);
      return;
    }
    this.fragmented ??= { opcode: op, fragments: [], frames: 0, byteLength: 0, isCompressed };
    const { fragmented } = this;
    if (++fragmented.frames > mostFrames) {
      this.fail(closeCode.policyViolation, 'too many fragments');
      return;
    }
    if (end > start) fragmented.fragments.push(Buffer.from(bytes.subarray(start, end)));
    fragmented.byteLength += end - start;
    if (!isFinal) return;
    this.fragmented = null;
    const whole = Buffer.concat(fragmented.fragments, fragmented.byteLength);
    const isBinary = fragmented.opcode === opcode.binary;
    this.whole(isBinary, fragmented.isCompressed, whole, 0, whole.length, flags | deliveryFlag.fragmented);
  }

  private whole(
    isBinary: boolean,
    isCompressed: boolean,
    bytes: Buffer,
    start: number,
    end: number,
    flags: number,
  ): void {
    const message = isCompressed ? this.inflater!.inflate(bytes, start, end) : undefined;
    if (message === undefined) this.message(isBinary, bytes, start, end, flags);
    else if (typeof message === 'string') this.fail(closeCode.invalidPayload, message);
    else this.message(isBinary, message, 0, message.length, flags);
  }

  /** Reports a message. Deliveries skip the UTF-8 check of section 8.1, which would read every byte again. */
  private message(isBinary: boolean, bytes: Buffer, start: number, end: number, flags: number): void {
    const sequence = this.scan.find(bytes, start, end);
    if (sequence !== -1) {
      this.handler.delivery(sequence, flags, bytes, start, end, isBinary);
      return;
    }
    const view = bytes.subarray(start, end);
    if (isBinary || isUtf8(view)) this.handler.message(view, isBinary);
    else this.fail(closeCode.invalidPayload, 'text is not UTF-8');
  }

  /** Handles a control frame (section 5.5). */
  private control(op: number, payload: Buffer): void {
    if (op === opcode.ping) this.handler.ping(payload);
    else if (op === opcode.pong) this.handler.pong?.(payload);
    else if (op === opcode.close) this.close(payload);
  }

  /** Handles a close frame (sections 5.5.1 and 7.4). */
  private close(payload: Buffer): void {
    const code = payload.length >= 2 ? payload.readUInt16BE(0) : closeCode.none;
    if (payload.length === 1 || (payload.length >= 2 && !isSendableCloseCode(code))) {
      this.fail(closeCode.protocolError, 'bad close code');
    } else if (!isUtf8(payload.subarray(2))) {
      this.fail(closeCode.invalidPayload, 'close reason is not UTF-8');
    } else {
      this.stop();
      this.handler.closeReceived(code, outsideText(payload.toString('utf8', 2)));
    }
  }

  /** Fails the connection (section 7.1.7). Returns a position that is never read. */
  private fail(code: number, why: string): number {
    this.stop();
    this.handler.failed(code, why);
    return 0;
  }
}
