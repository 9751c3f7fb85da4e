/** Stands for a client's number in the run, in headers and in the query of a target's address. */
export const clientPlaceholder = '{client}';

/** A text with that number in place of each placeholder. */
export function withClientNumber(text: string, number: number): string {
  return text.replaceAll(clientPlaceholder, String(number));
}
