/** Fewer of those that were there can be cut by any accident: that is no restart. */
const leastCutShare = 0.01;

/** Whether so many cuts of so many clients show that what they were connected to was restarted. */
export function wereCut(cut: number, clients: number): boolean {
  return cut > 0 && cut >= clients * leastCutShare;
}

/** The first and the last cut, in whole milliseconds after the order; nothing without a cut. */
export function spreadOf(cutInMs: Uint32Array): Record<string, number> {
  const first = cutInMs.findIndex((each) => each > 0);
  return first < 0 ? {} : { firstCutMs: first, lastCutMs: cutInMs.findLastIndex((each) => each > 0) };
}
