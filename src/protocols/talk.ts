const decoder = new TextDecoder();

/** The UTF-8 text of a message; other bytes become U+FFFD. */
export function textOf(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** The JSON value of a text, or undefined if it is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Bad input from a target is judged, never thrown.
    return undefined;
  }
}

/** The JSON object of a text, or undefined for anything else. */
export function objectIn(text: string): Record<string, unknown> | undefined {
  const value = jsonIn(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** The reason for refusing an unknown message, cut to 80 characters. */
export function unexpected(text: string): string {
  return `unexpected message ${text}`.slice(0, 80);
}
