/** What stands for a client's number in the whole run, in headers and in the query of a target's address. */
export const clientPlaceholder = '{client}';

/** A text with that number wherever the placeholder stands. */
export function withClientNumber(text: string, number: number): string {
  return text.replaceAll(clientPlaceholder, String(number));
}
