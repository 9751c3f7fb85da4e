const decoder = new TextDecoder();

/** The UTF-8 text of a message; other bytes become U+FFFD. */
export function textOf(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** The reason for refusing an unknown message. */
export function unexpected(text: string): string {
  return cut(`unexpected message ${text}`);
}

/** As much of a text of a target as a reason may hold. */
export function cut(text: string): string {
  return text.slice(0, 80);
}
