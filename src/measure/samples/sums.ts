type Counts = Record<string, number>;

export function sumCounts(list: readonly Counts[]): Counts {
  const total: Counts = {};
  for (const counts of list) {
    for (const [name, value] of Object.entries(counts)) total[name] = (total[name] ?? 0) + value;
  }
  return total;
}

/** The longest of each span, by name. */
export function longestOf(list: readonly Counts[]): Counts {
  const longest: Counts = {};
  for (const spans of list) {
    for (const [name, ms] of Object.entries(spans)) longest[name] = Math.max(longest[name] ?? 0, ms);
  }
  return longest;
}

export function sumCauses(list: readonly Record<string, Counts>[]): Record<string, Counts> {
  const occasions = new Set(list.flatMap((each) => Object.keys(each)));
  return Object.fromEntries([...occasions].map((name) => [name, sumCounts(list.map((each) => each[name] ?? {}))]));
}

/** Adds series element by element. Throws RangeError if their lengths differ. */
export function sumSeries(list: readonly Record<string, Uint32Array>[]): Record<string, Uint32Array> {
  const total: Record<string, Uint32Array> = {};
  for (const series of list) {
    for (const [name, values] of Object.entries(series)) {
      const sum = total[name];
      if (!sum) {
        total[name] = values.slice();
        continue;
      }
      if (sum.length !== values.length)
        throw new RangeError(`series ${name}: ${values.length} values beside ${sum.length}`);
      values.forEach((value, index) => {
        sum[index] = (sum[index] as number) + value;
      });
    }
  }
  return total;
}

/** Adds events per second; a shorter timeline continues with zeros. */
export function sumTimelines(list: readonly Record<string, number[]>[]): Record<string, number[]> {
  const total: Record<string, number[]> = {};
  for (const timeline of list) {
    for (const [name, seconds] of Object.entries(timeline)) {
      const sum = total[name] ?? [];
      total[name] = sum;
      seconds.forEach((events, second) => {
        while (sum.length <= second) sum.push(0);
        sum[second] = (sum[second] as number) + events;
      });
    }
  }
  return total;
}
