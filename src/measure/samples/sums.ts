type Counts = Record<string, number>;

/** The records of a list as one: `add` joins the values of a name, the first of them to nothing. */
function joined<T>(
  list: readonly Readonly<Record<string, T>>[],
  add: (sum: T | undefined, each: T, name: string) => T,
): Record<string, T> {
  const total: Record<string, T> = {};
  for (const record of list) {
    for (const [name, each] of Object.entries(record)) total[name] = add(total[name], each, name);
  }
  return total;
}

export function sumCounts(list: readonly Counts[]): Counts {
  return joined<number>(list, (sum = 0, each) => sum + each);
}

/** The longest of each span, by name. */
export function longestOf(list: readonly Counts[]): Counts {
  return joined<number>(list, (longest = 0, ms) => Math.max(longest, ms));
}

export function sumCauses(list: readonly Record<string, Counts>[]): Record<string, Counts> {
  return joined<Counts>(list, (sum = {}, counts) => sumCounts([sum, counts]));
}

/** Adds series element by element. Throws RangeError if their lengths differ. */
export function sumSeries(list: readonly Record<string, Uint32Array>[]): Record<string, Uint32Array> {
  return joined<Uint32Array>(list, (sum, values, name) => {
    if (!sum) return values.slice();
    return addSeries(sum, values, name);
  });
}

/** Adds a series to a sum, element by element, and gives the sum. Throws RangeError if their lengths differ. */
export function addSeries(sum: Uint32Array, values: Uint32Array, name: string): Uint32Array {
  if (sum.length !== values.length)
    throw new RangeError(`series ${name}: ${values.length} values beside ${sum.length}`);
  for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] as number) + (values[at] as number);
  return sum;
}

/** Adds events per second; a shorter timeline continues with zeros. */
export function sumTimelines(list: readonly Record<string, number[]>[]): Record<string, number[]> {
  return joined<number[]>(list, (sum = [], seconds) => {
    while (sum.length < seconds.length) sum.push(0);
    for (const [at, value] of seconds.entries()) sum[at] = (sum[at] as number) + value;
    return sum;
  });
}
