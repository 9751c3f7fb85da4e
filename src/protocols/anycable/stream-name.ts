import { createHmac } from 'node:crypto';

/**
 * Identifier of the pub/sub channel of AnyCable for a stream. One pure rule tells the two kinds apart: a name with `--` in it is a signed name
 * (`base64(JSON name)--hmac`), any other is a public one; so a public stream can't have `--` in its name.
 */
export function identifierOf(stream: string): string {
  return JSON.stringify({ channel: '$pubsub', [isSigned(stream) ? 'signed_stream_name' : 'stream_name']: stream });
}

/** Whether a stream's name is a signed one. */
export function isSigned(stream: string): boolean {
  return stream.includes('--');
}

/** The signed name of a stream: the JSON text of its name in base64, `--`, the HMAC-SHA256 of that base64 text in hex. */
export function signStream(name: string, secret: string): string {
  const encoded = Buffer.from(JSON.stringify(name)).toString('base64');
  return `${encoded}--${createHmac('sha256', secret).update(encoded).digest('hex')}`;
}
