/** A document as JSON text, as it is kept and printed. */
export function jsonText(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
