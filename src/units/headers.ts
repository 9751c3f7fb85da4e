/** Headers read from text, in order; `errors` says for each wrong text what was expected, and never its value, which may be a secret. */
export interface ParsedHeaders {
  headers: Record<string, string>;
  errors: string[];
}

/** Lower-case names that belong to the WebSocket handshake or would give it a body, beside all of `Sec-WebSocket-…`. */
const ofHandshake = ['connection', 'upgrade', 'content-length', 'transfer-encoding'];

/** Reads headers of an upgrade, each written `Name: value`. */
export function parseHeaders(texts: readonly string[]): ParsedHeaders {
  const parsed: ParsedHeaders = { headers: {}, errors: [] };
  for (const text of texts) {
    const colon = text.indexOf(':');
    const name = text.slice(0, colon).trim();
    const value = text.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, '');
    const isAgain = Object.keys(parsed.headers).some((other) => other.toLowerCase() === name.toLowerCase());
    if (colon < 1) parsed.errors.push("expected 'Name: value', received (hidden)");
    else if (isAgain) parsed.errors.push(`expected each name once, received ${name} again`);
    else {
      const fault = headerFault(name, value);
      if (fault === undefined) parsed.headers[name] = value;
      else parsed.errors.push(fault);
    }
  }
  return parsed;
}

/** Why an upgrade can't carry this header, without its value; undefined where it can (RFC 9110, sections 5.1 and 5.5). */
export function headerFault(name: string, value: string): string | undefined {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return 'expected a name of letters, digits and dashes, received (hidden)';
  if (ofHandshake.includes(name.toLowerCase()) || /^sec-websocket-/i.test(name))
    return `expected a header that the handshake does not make itself, received ${name}`;
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
    return `${name}: expected a value of Latin-1 text in one line, received (hidden)`;
  return undefined;
}
