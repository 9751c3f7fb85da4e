type Books = Readonly<Record<string, unknown>>;

/** A count of a ledger; null where it has none of that name, as books of other versions or of another way to publish: what was not counted is not 0. */
export function countIn(ledger: Books, name: string): number | null {
  const found = Object.hasOwn(ledger, name) ? ledger[name] : undefined;
  return typeof found === 'number' ? found : null;
}

/** Both counts of a share; null where the ledger lacks one of them. */
export function partsIn(ledger: Books, part: string, whole: string): { part: number; whole: number } | null {
  const [some, all] = [countIn(ledger, part), countIn(ledger, whole)];
  return some === null || all === null ? null : { part: some, whole: all };
}

/** One count as a share of another; null where the ledger lacks one of them, or there is no whole. */
export function shareIn(ledger: Books, part: string, whole: string): number | null {
  const found = partsIn(ledger, part, whole);
  return found === null || found.whole === 0 ? null : found.part / found.whole;
}
