import { withClientNumber } from '../../units/client-number.js';
import type { LibrarySetup } from '../protocol.js';

/** A client's address and headers, with its number filled in. */
export function upgradeOf(
  { url, headers, numberOf }: Pick<LibrarySetup, 'url' | 'headers' | 'numberOf'>,
  client: number,
): { url: string; headers: Record<string, string> } {
  const filled = (text: string): string => withClientNumber(text, numberOf(client));
  return {
    url: filled(url),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value)])),
  };
}
