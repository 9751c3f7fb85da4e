import { jsonIn } from '../../units/json-text.js';

/** A stream's identifier in AnyCable's pub/sub channel. Only a signed name, `base64(JSON name)--hmac`, has `--`. */
export function identifierOf(stream: string): string {
  return JSON.stringify({ channel: '$pubsub', [isSigned(stream) ? 'signed_stream_name' : 'stream_name']: stream });
}

/** Whether a stream's name is signed. */
export function isSigned(stream: string): boolean {
  return stream.includes('--');
}

/** The name of a stream in its deliveries; undefined for a signed name that holds none. */
export function plainNameOf(stream: string): string | undefined {
  if (!isSigned(stream)) return stream;
  const name = jsonIn(Buffer.from(stream.slice(0, stream.indexOf('--')), 'base64').toString());
  return typeof name === 'string' ? name : undefined;
}
