import { createHash } from 'node:crypto';

/** JSON text with the keys of every object in order, so that equal values give equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

/** Twelve hex digits, equal for equal shapes whatever the order of their keys. */
export function fingerprint(shape: Record<string, unknown>): string {
  return createHash('sha256').update(canonicalJson(shape)).digest('hex').slice(0, 12);
}
