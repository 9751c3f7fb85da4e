/** The first and the last of those cut in each whole millisecond after the order; nothing where nobody was cut. */
export function spreadOf(cutInMs: Uint32Array): Record<string, number> {
  const first = cutInMs.findIndex((each) => each > 0);
  return first < 0 ? {} : { firstCutMs: first, lastCutMs: cutInMs.findLastIndex((each) => each > 0) };
}
