const quote = 0x22;
const backslash = 0x5c;

/** Returns the opening quote of the JSON string that ends at `closing` (RFC 8259, 7), or -1 if before `from`. */
export function openingQuote(bytes: Uint8Array, from: number, closing: number): number {
  for (let at = closing - 1; at >= from; at--) {
    if (bytes[at] !== quote) continue;
    let slashes = 0;
    while (at - 1 - slashes >= from && bytes[at - 1 - slashes] === backslash) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return -1;
}

/** Returns true if `word` is in `bytes` directly before `end`, and not before `from`. */
export function isBefore(bytes: Uint8Array, from: number, end: number, word: Uint8Array): boolean {
  const start = end - word.length;
  if (start < from) return false;
  for (let i = 0; i < word.length; i++) if (bytes[start + i] !== word[i]) return false;
  return true;
}

/** Copies `from..end` of `source` to the start of `target`, without the view of `set(subarray)`. */
export function copyBytes(source: Uint8Array, from: number, end: number, target: Uint8Array): void {
  for (let i = from; i < end; i++) target[i - from] = source[i]!;
}
