/** The text to type in the state that a server gives with a seat; undefined in any other acknowledgement. */
export function passageIn(state: unknown): string | undefined {
  const { passage } = (state ?? {}) as { passage?: unknown };
  return typeof passage === 'string' && passage !== '' ? passage : undefined;
}

/** Key `number` of a passage, which repeats without end. */
export function keyOf(passage: string, number: number): string {
  return passage[number % passage.length] as string;
}
