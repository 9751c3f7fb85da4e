type Entries = Readonly<Record<string, unknown>>;

/** Counts by name; counts by cause stand beside them. */
export type LedgerEntries = Record<string, number | Record<string, number>>;

/** The books of a run; `breaks` says each sum that does not come out, and any entry voids the run. */
export interface Ledger {
  entries: LedgerEntries;
  breaks: string[];
  /** By the name of the samples of a metric's part, how many of it are `unfinished` (`MetricSpec`). */
  unfinished?: Record<string, number>;
  /** By the same name, how many of its samples are `independent`. */
  independent?: Record<string, number>;
}

/** What a count says: what was given, what came of it, what it took, what should not have happened. */
export type CountKind = 'given' | 'merit' | 'burden' | 'fault';

export type CountUnit = 'count' | 'perSecond' | 'ms' | 'seconds';

export type Shade = 'good' | 'bad' | 'open';

/** A count that is part of a sum, what it is called there, and its shade where that does not follow from its kind. */
export type SumPart = readonly [entry: string, title: string, shade?: Shade];

/** A count and the parts that must add up to it. */
export interface Sum {
  whole: readonly [entry: string, title: string];
  parts: readonly SumPart[];
  /** Set where a finer sum of the books shows the same parts: it is checked, and no bar is drawn. */
  isDetail?: true;
}

/** The ledger of a scenario as data: the kind of each count, and the sums, the finest of a whole first. */
export interface Books {
  kinds: Readonly<Record<string, CountKind>>;
  sums: readonly Sum[];
}

/** A sum of a ledger, its parts by the names of their counts. */
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

/** The kind of each count, out of the counts of each kind. */
export function kindsOf(names: Partial<Record<CountKind, readonly string[]>>): Record<string, CountKind> {
  return Object.fromEntries(
    Object.entries(names).flatMap(([kind, each]) => each.map((name) => [name, kind as CountKind])),
  );
}

/** The unit of a count, which its name ends with. */
export function countUnitOf(name: string): CountUnit {
  if (name.endsWith('PerSecond')) return 'perSecond';
  if (/Ms\d*$/.test(name)) return 'ms';
  return /Seconds?$/.test(name) ? 'seconds' : 'count';
}

const shades = { given: 'open', merit: 'good', burden: 'open', fault: 'bad' } as const;

/** How a part of a sum of these books is drawn. */
export function shadeOf({ kinds }: Books, [entry, , shade]: SumPart): Shade {
  return shade ?? shades[kinds[entry] ?? 'given'];
}

/** Each sum of the books that does not add up over these counts, in words. */
export function breaksOf({ sums }: Books, entries: Entries): string[] {
  return sums.flatMap(({ whole: [whole], parts }) => {
    const all = countIn(entries, whole) ?? 0;
    const sum = parts.reduce((total, [part]) => total + (countIn(entries, part) ?? 0), 0);
    return all === sum ? [] : [`${whole} ${all} is not ${parts.map(([part]) => part).join(' + ')} = ${sum}`];
  });
}

/** A count of a ledger; null where it has none of that name, because an unknown count is not 0. */
export function countIn(ledger: Entries, name: string): number | null {
  const found = Object.hasOwn(ledger, name) ? ledger[name] : undefined;
  return typeof found === 'number' ? found : null;
}

/** Both counts of a share; null where the ledger lacks one of them. */
export function partsIn(ledger: Entries, part: string, whole: string): { part: number; whole: number } | null {
  const [some, all] = [countIn(ledger, part), countIn(ledger, whole)];
  return some === null || all === null ? null : { part: some, whole: all };
}

/** One count as a share of another; null where the ledger lacks one of them, or there is no whole. */
export function shareIn(ledger: Entries, part: string, whole: string): number | null {
  const found = partsIn(ledger, part, whole);
  return found === null || found.whole === 0 ? null : found.part / found.whole;
}
