const decoder = new TextDecoder();

/** The UTF-8 text of a message; other bytes become U+FFFD. */
export function textOf(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** The reason for refusing an unknown message, cut to 80 characters. */
export function unexpected(text: string): string {
  return `unexpected message ${text}`.slice(0, 80);
}
