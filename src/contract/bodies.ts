import { createHash } from 'node:crypto';

/** The SHA-256 of a body in hexadecimal, as a shard's result names it. */
export function digestOf(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}

/** An answer with a part of a body: its status, its headers, and the bytes. */
export interface BodyPart {
  status: 200 | 206 | 416;
  headers: Record<string, string>;
  part: Uint8Array;
}

/** The request header for what is left of a body behind the first bytes. */
export function rangeFrom(bytes: number): string {
  return `bytes=${bytes}-`;
}

/** What a `Range` header asks for (RFC 9110, section 14): the rest behind an offset; any other form gives the whole. */
export function partOfBody(body: Uint8Array, range: string | undefined): BodyPart {
  const from = Number(/^bytes=(\d{1,15})-$/.exec(range ?? '')?.[1] ?? Number.NaN);
  const headers = { 'accept-ranges': 'bytes' };
  if (Number.isNaN(from)) return { status: 200, headers, part: body };
  if (from >= body.length) {
    return {
      status: 416,
      headers: { ...headers, 'content-range': `bytes */${body.length}` },
      part: body.subarray(0, 0),
    };
  }
  const contentRange = `bytes ${from}-${body.length - 1}/${body.length}`;
  return { status: 206, headers: { ...headers, 'content-range': contentRange }, part: body.subarray(from) };
}

/** The first byte of a part by its `Content-Range`; of no part, the length of the whole. Undefined in other forms. */
export function partFrom(header: unknown): number | undefined {
  const [, first, whole] = /^bytes (?:(\d{1,15})-\d{1,15}|\*)\/(\d{1,15}|\*)$/.exec(String(header)) ?? [];
  const from = first ?? whole;
  return from === undefined ? undefined : Number(from);
}
