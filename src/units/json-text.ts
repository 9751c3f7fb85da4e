/** A document as JSON text, as it is kept and printed. */
export function jsonText(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** The value of JSON text of another program, or undefined for other text: that is judged, never thrown. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
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
