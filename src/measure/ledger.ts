type Entries = Readonly<Record<string, unknown>>;

export type LedgerEntries = Record<string, number | Record<string, number>>;

/** Holds the ledger of a run. `breaks` names each sum that does not add up. Any entry voids the run. */
export interface Ledger {
  entries: LedgerEntries;
  breaks: string[];
  /** The number of `unfinished` samples by the name in `samplesOf` (see `MetricSpec`). */
  unfinished?: Record<string, number>;
  /** The number of `independent` samples by the same name. */
  independent?: Record<string, number>;
}

/** Names the kinds of a count: input, success, cost, or failure. */
export type CountKind = 'given' | 'merit' | 'burden' | 'fault';

export type CountUnit = 'count' | 'perSecond' | 'ms' | 'seconds';

export type Shade = 'good' | 'bad' | 'open';

/** Describes a count that is part of a sum: its name, its title there, and its shade if its kind does not give it. */
export type SumPart = readonly [entry: string, title: string, shade?: Shade];

export interface Sum {
  whole: readonly [entry: string, title: string];
  parts: readonly SumPart[];
  /** Set if a finer sum shows the same parts. The sum is checked, but no bar is drawn. */
  isDetail?: true;
}

/** The ledger of a scenario: the kind of each count, and the sums. The finest sum of a whole comes first. */
export interface Books {
  kinds: Readonly<Record<string, CountKind>>;
  sums: readonly Sum[];
}

export function ledgerSum(
  whole: Sum['whole'],
  parts: Readonly<Record<string, string | readonly [title: string, shade: Shade]>>,
): Sum {
  return {
    whole,
    parts: Object.entries(parts).map(([entry, named]) =>
      typeof named === 'string' ? [entry, named] : [entry, ...named],
    ),
  };
}

export type LedgerLines = readonly (readonly [label: string, text: string])[];

export function kindsOf(names: Partial<Record<CountKind, readonly string[]>>): Record<string, CountKind> {
  return Object.fromEntries(
    Object.entries(names).flatMap(([kind, each]) => each.map((name) => [name, kind as CountKind])),
  );
}

/** Returns the unit of a count. The name of the count ends with it. */
export function countUnitOf(name: string): CountUnit {
  if (name.endsWith('PerSecond')) return 'perSecond';
  if (/Ms\d*$/.test(name)) return 'ms';
  return /Seconds?$/.test(name) ? 'seconds' : 'count';
}

const shades = { given: 'open', merit: 'good', burden: 'open', fault: 'bad' } as const;

export function shadeOf({ kinds }: Books, [entry, , shade]: SumPart): Shade {
  return shade ?? shades[kinds[entry] ?? 'given'];
}

/** Describes each sum of the books that does not add up over these counts. */
export function breaksOf({ sums }: Books, entries: Entries): string[] {
  return sums.flatMap(({ whole: [whole], parts }) => {
    const all = countIn(entries, whole) ?? 0;
    const sum = parts.reduce((total, [part]) => total + (countIn(entries, part) ?? 0), 0);
    return all === sum ? [] : [`${whole} ${all} is not ${parts.map(([part]) => part).join(' + ')} = ${sum}`];
  });
}

/** Returns a count of a ledger. Null if the ledger has no such name: an unknown count is not 0. */
export function countIn(ledger: Entries, name: string): number | null {
  const found = Object.hasOwn(ledger, name) ? ledger[name] : undefined;
  return typeof found === 'number' ? found : null;
}

/** Returns both counts of a share. Null if the ledger lacks one of them. */
export function partsIn(ledger: Entries, part: string, whole: string): { part: number; whole: number } | null {
  const [some, all] = [countIn(ledger, part), countIn(ledger, whole)];
  return some === null || all === null ? null : { part: some, whole: all };
}

/** Returns one count as a share of another. Null if the ledger lacks one of them, or the whole is 0. */
export function shareIn(ledger: Entries, part: string, whole: string): number | null {
  const found = partsIn(ledger, part, whole);
  return found === null || found.whole === 0 ? null : found.part / found.whole;
}
