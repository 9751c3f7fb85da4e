const finalText = 0x81;
const finalPong = 0x8a;

/** A whole unmasked text frame (RFC 6455, section 5.2). */
export function textFrame(text: string): Buffer {
  return frame(finalText, Buffer.from(text));
}

/** The answer to a ping (section 5.5.3). */
export function pongFrame(payload: Buffer): Buffer {
  return frame(finalPong, payload);
}

function frame(first: number, payload: Buffer): Buffer {
  const { length } = payload;
  if (length < 126) return Buffer.concat([Buffer.of(first, length), payload]);
  if (length < 65_536) return Buffer.concat([Buffer.of(first, 126, length >>> 8, length & 0xff), payload]);
  const head = Buffer.alloc(10);
  head.writeUInt16BE((first << 8) | 127);
  head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}
