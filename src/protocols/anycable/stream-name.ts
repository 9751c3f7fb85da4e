import { jsonIn } from '../../units/json-text.js';

/** A channel of Action Cable that streams a stream: how a subscription names it, and how deliveries do. */
export interface Channel {
  identifierOf(stream: string): string;
  /** Undefined if a delivery does not tell. */
  nameOf(stream: string): string | undefined;
}

/** AnyCable's pub/sub channel. Only a signed name, `base64(JSON name)--hmac`, has `--`. */
export const pubsubChannel: Channel = {
  identifierOf: (stream) =>
    JSON.stringify({ channel: '$pubsub', [isSigned(stream) ? 'signed_stream_name' : 'stream_name']: stream }),
  nameOf(stream) {
    if (!isSigned(stream)) return stream;
    const name = jsonIn(Buffer.from(stream.slice(0, stream.indexOf('--')), 'base64').toString());
    return typeof name === 'string' ? name : undefined;
  },
};

/** Whether a stream's name is signed. */
export function isSigned(stream: string): boolean {
  return stream.includes('--');
}
