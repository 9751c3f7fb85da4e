import { type OpenReason, openReasons, pairOf } from '../../measure/statement.js';
import type { KeptPairedRatio, Paired } from '../../results/paired.js';

/** How many times as long a target takes as another one, which is shown to be faster; null if its median never came. */
export interface Slower {
  target: string;
  than: string;
  ratio: number | null;
}

/** Targets of which no two can be told apart. */
export interface Untold {
  targets: string[];
  /** The largest share that may lie between two of them, at the level of all pairs. */
  upTo: number;
  because: OpenReason;
}

/** What a paired comparison states. Two targets that are neither `equal` nor `untold` are apart. */
export interface Claims {
  /** No other target is shown to be faster than these: the fastest is among them. */
  fastest: string[];
  /** The one that all ratios are given against: of the fastest, the one that seems so. */
  reference: string;
  /** The others, the fastest first. */
  slower: Slower[];
  equal: string[][];
  untold: Untold[];
}

/** The targets of a paired comparison, without the twin. */
export function contenders({ targets }: Pick<Paired, 'targets'>): Paired['targets'] {
  return targets.filter(({ twinOf }) => twinOf === null);
}

/** Whether a target has anything to show: it was up in a start that is complete. */
export function isMeasured({ p50Us, deliveredShare }: Paired['targets'][number]): boolean {
  return p50Us !== null || deliveredShare !== null;
}

/** What a median that did not arrive counts as, as a logarithm of a ratio: more than any other. */
const neverLog = 100;

/** The logarithm of the ratio; of a median that did not arrive, beyond all others. */
export function logRatio({ ratio, missing }: Pick<KeptPairedRatio, 'ratio' | 'missing'>): number {
  if (ratio !== null) return Math.log(ratio);
  return missing === 'a' ? neverLog : missing === 'b' ? -neverLog : 0;
}

/** What the pairs state by their conclusions; undefined where no order is claimed or there is no pair. */
export function claimsOf(paired: Paired): Claims | undefined {
  const { pairs, withheld } = paired;
  if (withheld.length > 0 || pairs.length === 0) return undefined;
  const names = bySpeed(
    contenders(paired).map(({ target }) => target),
    pairs,
  );
  const isSlower = (one: string, other: string): boolean => {
    const pair = pairOf(pairs, one, other);
    return pair?.holds === 'yes' && logRatio(pair) > 0;
  };
  const fastest = names.filter((one) => !names.some((other) => isSlower(one, other)));
  const reference = fastest[0] ?? names[0] ?? '';
  const slower = names.flatMap((target): Slower[] => {
    if (fastest.includes(target)) return [];
    const than = isSlower(target, reference) ? reference : names.find((other) => isSlower(target, other));
    const pair = than === undefined ? undefined : pairOf(pairs, target, than);
    return pair ? [{ target, than: pair.b, ratio: pair.ratio }] : [];
  });
  return {
    fastest,
    reference,
    slower,
    equal: groups(names, paired, 'no'),
    untold: openReasons.flatMap((because) =>
      groups(names, paired, because).map((targets) => ({ targets, upTo: farthest(targets, pairs), because })),
    ),
  };
}

/** Targets by their ratios, the fastest first. */
export function bySpeed(names: readonly string[], pairs: readonly KeptPairedRatio[]): string[] {
  const place = (one: string): number =>
    names.reduce((sum, other) => {
      const pair = pairOf(pairs, one, other);
      return sum + (pair ? logRatio(pair) : 0);
    }, 0);
  return names.toSorted((one, other) => place(one) - place(other));
}

/** Groups in which this is said of each two, as large as they can be, until each such pair is in one. */
function groups(sorted: readonly string[], { pairs }: Paired, sought: 'no' | OpenReason): string[][] {
  const has = (one: string, other: string): boolean => {
    const pair = pairOf(pairs, one, other);
    return pair !== undefined && (pair.because ?? pair.holds) === sought;
  };
  const found: string[][] = [];
  for (const [place, one] of sorted.entries()) {
    for (const other of sorted.slice(place + 1)) {
      if (!has(one, other) || found.some((group) => group.includes(one) && group.includes(other))) continue;
      const group = [one, other];
      for (const third of sorted) if (group.every((each) => has(each, third))) group.push(third);
      found.push(sorted.filter((each) => group.includes(each)));
    }
  }
  return found;
}

/** The largest share that may lie between two of these. */
function farthest(targets: readonly string[], pairs: readonly KeptPairedRatio[]): number {
  const own = targets.flatMap((a, place) => targets.slice(place + 1).flatMap((b) => pairOf(pairs, a, b) ?? []));
  return Math.max(...own.map(({ joint }) => (joint ? Math.max(joint[1], 1 / joint[0]) - 1 : Number.POSITIVE_INFINITY)));
}
