/** Values as varints: base 128, least digits first, the high bit set on all bytes but the last. */
export function packVarints(values: Uint32Array): Uint8Array {
  let size = 0;
  for (const value of values) size += widthOf(value);
  const bytes = new Uint8Array(size);
  let at = 0;
  for (let value of values) {
    for (; value > 0x7f; value >>>= 7) bytes[at++] = (value & 0x7f) | 0x80;
    bytes[at++] = value;
  }
  return bytes;
}

/** The `count` values of such bytes. Throws an Error if there are more or fewer. */
export function unpackVarints(bytes: Uint8Array, count: number): Uint32Array {
  if (count > bytes.length) throw new Error(`${count} values are announced in ${bytes.length} bytes`);
  const values = new Uint32Array(count);
  let at = 0;
  for (let index = 0; index < count; index++) {
    let value = 0;
    let shift = 0;
    let byte = bytes[at++] as number;
    for (; byte > 0x7f; byte = bytes[at++] as number) {
      value |= (byte & 0x7f) << shift;
      shift += 7;
    }
    values[index] = value | (byte << shift);
  }
  if (at !== bytes.length)
    throw new Error(`${count} values are announced in ${bytes.length} bytes, but end at byte ${at}`);
  return values;
}

/** How many values such bytes hold. */
export function varintsIn(bytes: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at++) if ((bytes[at] as number) <= 0x7f) count++;
  return count;
}

/** Each sorted value less the one before it. */
export function deltasOf(sorted: Uint32Array): Uint32Array {
  const deltas = new Uint32Array(sorted.length);
  let previous = 0;
  for (let index = 0; index < sorted.length; index++) {
    const value = sorted[index] as number;
    deltas[index] = value - previous;
    previous = value;
  }
  return deltas;
}

/** Undoes `deltasOf` in place. */
export function accumulate(deltas: Uint32Array): Uint32Array {
  for (let index = 1; index < deltas.length; index++) {
    deltas[index] = (deltas[index] as number) + (deltas[index - 1] as number);
  }
  return deltas;
}

function widthOf(value: number): number {
  return Math.ceil((32 - Math.clz32(value | 1)) / 7);
}
