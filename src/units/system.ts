/** Returns the result of a call. Undefined if it fails with one of these codes of Node or the system. */
export function unlessCode<T>(codes: readonly string[], call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    if (codes.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** Codes of a process that has no free descriptor. */
export const exhausted = ['EMFILE', 'ENFILE'];

const readings = 16;

/** Returns the time origin of `performance.now` on CLOCK_MONOTONIC, from the closest of several pairs of readings. */
export function readOriginNs(): number {
  let [originNs, gapNs] = [0, Number.POSITIVE_INFINITY];
  for (let i = 0; i < readings; i++) {
    const beforeNs = performance.now() * 1e6;
    const hostNs = Number(process.hrtime.bigint());
    const afterNs = performance.now() * 1e6;
    if (afterNs - beforeNs < gapNs) [originNs, gapNs] = [hostNs - (beforeNs + afterNs) / 2, afterNs - beforeNs];
  }
  return originNs;
}
