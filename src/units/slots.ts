import { headerFault } from './http.js';

/** Matches a name in braces, such as `{client}`, which a value replaces. */
export const slotPattern = /\{([A-Za-z_]\w*)\}/g;

/** Returns the value of a client's slot. `client` is its number in the run. Undefined for a name without a value. */
export type ClientValues = (slot: string) => string | undefined;

/** Returns the names of all slots in a text, in order, each once. */
export function slotsIn(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(slotPattern), ([, name]) => name as string))];
}

/** Replaces the slots of a text by values, each through `encoded`. A slot without a value stays as it is. */
export function withSlots(text: string, values: ClientValues, encoded = (value: string): string => value): string {
  return text.replaceAll(slotPattern, (whole, name: string) => {
    const value = values(name);
    return value === undefined ? whole : encoded(value);
  });
}

/** Returns a value as it appears between the quotes of a JSON text. */
export function jsonEscaped(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

/** Counts the quotation marks that begin or end a string of JSON (RFC 8259, section 7). */
export function quotesIn(text: string): number {
  return text.replaceAll(/\\./gs, '').split('"').length - 1;
}

/** Returns the values of a client that has nothing but its number. */
export function numberOnly(number: number): ClientValues {
  return (name) => (name === 'client' ? String(number) : undefined);
}

/** Gives numbers, and perhaps further values, to clients. */
interface Numbered {
  numberOf(client: number): number;
  valuesOf?(client: number): ClientValues;
}

export function valuesIn({ numberOf, valuesOf }: Numbered, client: number): ClientValues {
  return valuesOf?.(client) ?? numberOnly(numberOf(client));
}

/** Describes the address and upgrade of a client. Values of the client replace slots in all of it. */
export interface ClientUpgrade {
  url: string;
  headers: Readonly<Record<string, string>>;
  subprotocols: readonly string[];
}

/** Returns an address as text with readable slots: a URL writes their braces as `%7B` and `%7D`. */
export function slotted({ href }: URL): string {
  return href.replaceAll(/%7B([A-Za-z_]\w*)%7D/gi, '{$1}');
}

export function urlEncoded(value: string): string {
  // Half a character of JSON is invalid in a URL.
  return encodeURIComponent(Buffer.from(value).toString());
}

/** Returns true if the upgrade of each client differs. */
export function hasSlots({ url, headers, subprotocols }: ClientUpgrade): boolean {
  return [url, ...Object.values(headers), ...subprotocols].some((text) => slotsIn(text).length > 0);
}

export function filledUpgrade({ url, headers, subprotocols }: ClientUpgrade, values: ClientValues): ClientUpgrade {
  return {
    url: withSlots(url, values, urlEncoded),
    headers: filledHeaders(headers, values),
    subprotocols: subprotocols.map((each) => withSlots(each, values)),
  };
}

export function filledHeaders(headers: Readonly<Record<string, string>>, values: ClientValues): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, withSlots(value, values)]));
}

/** Returns true if a text is a valid subprotocol (RFC 6455, section 4.1). */
export function isSubprotocol(text: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(text);
}

/** Returns the header of a client's own upgrade that can't carry its value, in small letters. Undefined if all can. */
export function unfitHeader({ headers, subprotocols }: Pick<ClientUpgrade, 'headers' | 'subprotocols'>) {
  const unfit = Object.entries(headers).find(([name, value]) => headerFault(name, value) !== undefined);
  if (unfit) return unfit[0].toLowerCase();
  return subprotocols.every(isSubprotocol) ? undefined : 'sec-websocket-protocol';
}
