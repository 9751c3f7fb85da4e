import { randomFillSync } from 'node:crypto';

/** Frame types of RFC 6455, section 5.2. */
export const opcode = {
  continuation: 0x0,
  text: 0x1,
  binary: 0x2,
  close: 0x8,
  ping: 0x9,
  pong: 0xa,
} as const;

/** Close codes of RFC 6455, section 7.4.1, that this client sends or reports. */
export const closeCode = {
  normal: 1000,
  protocolError: 1002,
  /** Means a close frame without a code. Never sent. */
  none: 1005,
  /** Means an end without a close frame. Never sent. */
  abnormal: 1006,
  invalidPayload: 1007,
  policyViolation: 1008,
  messageTooBig: 1009,
} as const;

/** Longest payload of a control frame in bytes (section 5.5). */
const largestControlPayload = 125;

/** Longest message in bytes over all its fragments. A limit of this client, not of the RFC. */
export const largestMessage = 16 * 1024 * 1024;

/** Returns true if an endpoint may send `code` in a close frame: to 1014, libraries' 3000-3999, private 4000-4999. */
export function isSendableCloseCode(code: number): boolean {
  if (code >= 3000 && code <= 4999) return true;
  return code >= 1000 && code <= 1014 && code !== 1004 && code !== 1005 && code !== 1006;
}

/**
 * Returns the violation in the head of a control frame, or null. `length` is from the frame's second byte. Longer forms
 * have 126 or 127 there, too long for section 5.5.
 */
export function controlViolation(op: number, isFinal: boolean, length: number): string | null {
  if (op > opcode.pong) return 'reserved opcode';
  if (!isFinal) return 'fragmented control frame';
  return length > largestControlPayload ? 'oversized control frame' : null;
}

/** Returns a whole message in one masked frame. Text becomes a text message, bytes become a binary one. */
export function messageFrame(message: string | Uint8Array): Buffer {
  return maskedFrame(typeof message === 'string' ? opcode.text : opcode.binary, message);
}

/** Returns a masked pong with the payload of the ping (RFC 6455, section 5.5.3). */
export function maskedPong(payload: Uint8Array): Buffer {
  return maskedFrame(opcode.pong, payload);
}

export function pingFrame(payload: Uint8Array): Buffer {
  return maskedFrame(opcode.ping, payload);
}

/** Returns the payload of a close frame (section 5.5.1), empty for `closeCode.none`. A long reason is cut. */
export function closePayload(code: number, reason: string): Buffer {
  const payload = Buffer.alloc(code === closeCode.none ? 0 : largestControlPayload);
  if (code === closeCode.none) return payload;
  payload.writeUInt16BE(code);
  return payload.subarray(0, 2 + payload.write(reason, 2));
}

export function closeFrame(code: number, reason = ''): Buffer {
  return maskedFrame(opcode.close, closePayload(code, reason));
}

const fin = 0x80;
const masked = 0x80;

/** Returns a frame with its header and its masked payload (section 5.3). */
function maskedFrame(op: number, payload: string | Uint8Array): Buffer {
  const payloadBytes = Buffer.byteLength(payload);
  const headerBytes = 2 + 4 + (payloadBytes < 126 ? 0 : payloadBytes < 65_536 ? 2 : 8);
  const frame = Buffer.allocUnsafe(headerBytes + payloadBytes);
  if (typeof payload === 'string') frame.write(payload, headerBytes);
  else frame.set(payload, headerBytes);
  frame[0] = fin | op;
  if (payloadBytes < 126) {
    frame[1] = masked | payloadBytes;
  } else if (payloadBytes < 65_536) {
    frame[1] = masked | 126;
    frame.writeUInt16BE(payloadBytes, 2);
  } else {
    frame[1] = masked | 127;
    frame.writeUInt32BE(Math.floor(payloadBytes / 2 ** 32), 2);
    frame.writeUInt32BE(payloadBytes >>> 0, 6);
  }
  const key = nextKey();
  for (let i = 0; i < 4; i++) frame[headerBytes - 4 + i] = keys[key + i]!;
  for (let i = 0; i < payloadBytes; i++) frame[headerBytes + i]! ^= keys[key + (i & 3)]!;
  return frame;
}

// Masking keys must be unpredictable. With a pool, one costs a few nanoseconds.
const keys = new Uint8Array(8192);
let usedKeyBytes = keys.length;

function nextKey(): number {
  if (usedKeyBytes === keys.length) {
    randomFillSync(keys);
    usedKeyBytes = 0;
  }
  usedKeyBytes += 4;
  return usedKeyBytes - 4;
}
