import { createHmac } from 'node:crypto';

/** A signed stream name: the JSON text of the name in base64, `--`, the HMAC-SHA256 of that base64 in hex. */
export function signStream(name: string, secret: string): string {
  const encoded = Buffer.from(JSON.stringify(name)).toString('base64');
  return `${encoded}--${createHmac('sha256', secret).update(encoded).digest('hex')}`;
}
