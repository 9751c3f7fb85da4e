/** At most so many different values, in 201 MB. A sum of more becomes a histogram. */
export const distinctAtMost = 2 ** 24;

/**
 * Ascending values in microseconds, and how often each occurs among `count` samples. It is exact. Its size depends on
 * how many values differ, not on the number of samples.
 */
export interface Tally {
  readonly values: Uint32Array;
  readonly times: Float64Array;
  readonly count: number;
}

/** Returns the tally of these numbers of occurrences by value. */
export function tallyOf(timesByValue: ReadonlyMap<number, number>): Tally {
  const values = Uint32Array.from(timesByValue.keys()).sort();
  const times = Float64Array.from(values, (value) => timesByValue.get(value)!);
  return { values, times, count: times.reduce((sum, each) => sum + each, 0) };
}

/** Adds sorted samples, or those of another tally. Allocates nothing per sample. */
export function withMore(tally: Tally, { values: more, times: moreTimes, count }: MoreSamples): Tally {
  const { values: known, times: knownTimes } = tally;
  const most = known.length + distinctIn(more);
  const [values, times] = [new Uint32Array(most), new Float64Array(most)];
  let [length, at] = [0, 0];
  for (let place = 0; place < known.length || at < more.length; length++) {
    const value = at === more.length || known[place]! <= more[at]! ? known[place]! : more[at]!;
    values[length] = value;
    if (known[place] === value) times[length]! += knownTimes[place++]!;
    for (; more[at] === value; at++) times[length]! += moreTimes?.[at] ?? 1;
  }
  return { values: values.slice(0, length), times: times.slice(0, length), count: tally.count + count };
}

/** Sorted samples. Without `times`, each value stands for one sample. */
export type MoreSamples = Pick<Tally, 'values' | 'count'> & { times?: Float64Array };

export const emptyTally: Tally = tallyOf(new Map());

function distinctIn(sorted: Uint32Array): number {
  let distinct = 0;
  for (let at = 0; at < sorted.length; at++) if (at === 0 || sorted[at] !== sorted[at - 1]) distinct++;
  return distinct;
}
