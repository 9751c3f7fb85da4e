const decoder = new TextDecoder();

/** The text of a message, in UTF-8; bytes that are none become U+FFFD. */
export function textOf(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** The JSON value that `text` holds, which may be null, or undefined where it holds none. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // What a target says is judged, never thrown: the session refuses talk that it can't read.
    return undefined;
  }
}

/** The JSON object that `text` holds, or undefined where it holds anything else. */
export function objectIn(text: string): Record<string, unknown> | undefined {
  const value = jsonIn(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** The word with which a session refuses talk that its protocol does not know; cut to 80 characters. */
export function unexpected(text: string): string {
  return `unexpected message ${text}`.slice(0, 80);
}
