/** Parameters of RFC 7692, section 7.1. The last two take a number of bits. */
const known = [
  'server_no_context_takeover',
  'client_no_context_takeover',
  'server_max_window_bits',
  'client_max_window_bits',
];

/**
 * Reads `server_max_window_bits=10; client_no_context_takeover`. A flag has the value 0. Returns undefined for a
 * parameter that is unknown, repeated or wrong. Only the client's window may come without bits, and only in an offer.
 */
export function parseCompression(text: string, isOffer: boolean): Map<string, number> | undefined {
  const found = new Map<string, number>();
  for (const part of text.split(';').map((each) => each.trim())) {
    if (part === '') continue;
    const [, name = '', , bits] = /^([a-z_]+)(\s*=\s*"?(\d{1,2})"?)?$/.exec(part) ?? [];
    const takesBits = known.indexOf(name) >= 2;
    const mayLackBits = !takesBits || (isOffer && name === known[3]);
    const isBits = bits !== undefined && takesBits && Number(bits) >= 8 && Number(bits) <= 15;
    if (!known.includes(name) || found.has(name) || !(isBits || (bits === undefined && mayLackBits))) return undefined;
    found.set(name, Number(bits ?? 0));
  }
  return found;
}
