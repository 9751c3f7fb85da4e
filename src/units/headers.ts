/** Lower-case names that the WebSocket handshake sets or that announce a body, beside all of `Sec-WebSocket-…`. */
const handshakeNames = ['connection', 'upgrade', 'content-length', 'transfer-encoding'];

/** Headers read from lines of `Name: value`, in order. An error never tells a value, which may be secret. */
export function parseHeaders(lines: readonly string[]): { headers: Record<string, string>; errors: string[] } {
  const headers: Record<string, string> = {};
  const errors: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).trim();
    const value = line.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, '');
    const isRepeated = Object.keys(headers).some((other) => other.toLowerCase() === name.toLowerCase());
    const fault = isRepeated ? `expected ${name} only once` : headerFault(name, value);
    if (colon < 1) errors.push("expected 'Name: value'");
    else if (fault === undefined) headers[name] = value;
    else errors.push(fault);
  }
  return { headers, errors };
}

/** Why a request can't carry this header, without its value; undefined if it can (RFC 9110, sections 5.1 and 5.5). */
export function headerFault(name: string, value: string): string | undefined {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return 'expected a header name of letters, digits and dashes';
  if (handshakeNames.includes(name.toLowerCase()) || /^sec-websocket-/i.test(name))
    return `expected no ${name}, which the handshake sets itself`;
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return `expected ${name} in one line of Latin-1 text`;
  return undefined;
}
