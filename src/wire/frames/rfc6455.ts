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
  /** Never on the wire: stands for a close frame without a code. */
  none: 1005,
  invalidPayload: 1007,
  policyViolation: 1008,
  messageTooBig: 1009,
} as const;

/** A control frame's payload may be this long (section 5.5). */
const largestControlPayload = 125;

/** Our own bound of a message, over all its fragments. */
export const largestMessage = 16 * 1024 * 1024;

/** Whether an endpoint may send `code` in a close frame: to 1014, libraries' 3000-3999, private 4000-4999. */
export function isSendableCloseCode(code: number): boolean {
  if (code >= 3000 && code <= 4999) return true;
  return code >= 1000 && code <= 1014 && code !== 1004 && code !== 1005 && code !== 1006;
}

/**
 * What is wrong with the head of a control frame, or null. `length` is from the frame's second byte: longer forms say
 * 126 or 127, too long for section 5.5.
 */
export function controlViolation(op: number, isFinal: boolean, length: number): string | null {
  if (op > opcode.pong) return 'reserved opcode';
  if (!isFinal) return 'fragmented control frame';
  return length > largestControlPayload ? 'oversized control frame' : null;
}
