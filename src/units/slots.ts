/** A name in braces, such as `{client}`, which stands for a value. */
export const slotPattern = /\{([A-Za-z_]\w*)\}/g;

/** What the slots of a client stand for: `client` is its number in the run. Undefined for a name without a value. */
export type ClientValues = (slot: string) => string | undefined;

/** The names of all slots in a text, in order, each once. */
export function slotsIn(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(slotPattern), ([, name]) => name as string))];
}

/** A text with values in place of its slots, each through `encoded`. A slot without a value stays as it is. */
export function withSlots(text: string, values: ClientValues, encoded = (value: string): string => value): string {
  return text.replaceAll(slotPattern, (whole, name: string) => {
    const value = values(name);
    return value === undefined ? whole : encoded(value);
  });
}

/** A value as it stands between the quotes of a JSON text. */
export function jsonEscaped(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

/** The values of a client that has nothing but its number. */
export function numberOnly(number: number): ClientValues {
  return (name) => (name === 'client' ? String(number) : undefined);
}

/** Whose clients have numbers, and perhaps further values. */
interface Numbered {
  numberOf(client: number): number;
  valuesOf?(client: number): ClientValues;
}

/** The values of one of these clients. */
export function valuesIn({ numberOf, valuesOf }: Numbered, client: number): ClientValues {
  return valuesOf?.(client) ?? numberOnly(numberOf(client));
}
