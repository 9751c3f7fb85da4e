import { type OpenReason, openReasons, pairOf } from '../../measure/statement.js';
import type { KeptPairedRatio, Paired, WithheldReason } from '../../results/paired.js';

/** Describes targets of which no two can be distinguished. */
export interface Untold {
  targets: string[];
  /** True for two whose order follows from other claims, as in a < b < c. Only their ratio is open. */
  isOrdered: boolean;
  /** The largest possible difference between two of them as a share, at the level of all pairs. */
  upTo: number;
  because: OpenReason;
}

/** Describes the claims of a paired comparison. Two targets that are neither `equal` nor `untold` are apart. */
export interface Claims {
  /** No other target is shown to be faster than these. The fastest target is among them. */
  fastest: string[];
  /** All ratios refer to this target, which seems to be the fastest of `fastest`. */
  reference: string;
  /** The other targets, the fastest first, with the ratio of times to another. Null if a median never came. */
  slower: { target: string; than: string; ratio: number | null }[];
  equal: string[][];
  untold: Untold[];
}

export function contenders({ targets }: Pick<Paired, 'targets'>): Paired['targets'] {
  return targets.filter(({ twinOf }) => twinOf === null);
}

/** Returns true if a target has a figure: it was up in a complete start. */
export function isMeasured({ p50Us, deliveredShare }: Paired['targets'][number]): boolean {
  return p50Us !== null || deliveredShare !== null;
}

/** Logarithm of the ratio for a median that did not arrive. It exceeds all others. */
const neverLog = 100;

/** Returns the logarithm of the ratio. If a median did not arrive, it lies beyond all others. */
export function logRatio({ ratio, missing }: Pick<KeptPairedRatio, 'ratio' | 'missing'>): number {
  if (ratio !== null) return Math.log(ratio);
  return missing === 'a' ? neverLog : missing === 'b' ? -neverLog : 0;
}

/** Returns the claims of the pairs. Undefined if no order is claimed or there is no pair. */
export function claimsOf(paired: Paired): Claims | undefined {
  const { pairs, withheld } = paired;
  if (withheld.length > 0 || pairs.length === 0) return undefined;
  const names = bySpeed(paired);
  const isSlower = (one: string, other: string): boolean => {
    const pair = pairOf(pairs, one, other);
    return pair?.holds === 'yes' && logRatio(pair) > 0;
  };
  const fastest = names.filter((one) => !names.some((other) => isSlower(one, other)));
  const reference = fastest[0] ?? names[0] ?? '';
  const slower = names.flatMap((target): Claims['slower'] => {
    if (fastest.includes(target)) return [];
    const than = isSlower(target, reference) ? reference : names.find((other) => isSlower(target, other));
    const pair = than === undefined ? undefined : pairOf(pairs, target, than);
    return pair ? [{ target, than: pair.b, ratio: pair.ratio }] : [];
  });
  return {
    fastest,
    reference,
    slower,
    equal: groups(names, (one, other) => pairOf(pairs, one, other)?.holds === 'no'),
    untold: openReasons.flatMap((because) => {
      const isOpen = (one: string, other: string): boolean => pairOf(pairs, one, other)?.because === because;
      const isOrdered = (one: string, other: string): boolean =>
        follows(one, other, names, isSlower) || follows(other, one, names, isSlower);
      return [false, true].flatMap((ordered) =>
        groups(
          names,
          (one, other) => isOpen(one, other) && isOrdered(one, other) === ordered,
          ordered ? 2 : undefined,
        ).map((targets) => ({ targets, isOrdered: ordered, upTo: farthest(targets, pairs), because })),
      );
    }),
  };
}

/** Returns the names of the targets by their ratios, the fastest first. */
export function bySpeed({ targets, pairs }: Pick<Paired, 'targets' | 'pairs'>): string[] {
  const names = contenders({ targets }).map(({ target }) => target);
  const place = (one: string): number =>
    names.reduce((sum, other) => {
      const pair = pairOf(pairs, one, other);
      return sum + (pair ? logRatio(pair) : 0);
    }, 0);
  return names.toSorted((one, other) => place(one) - place(other));
}

function follows(
  one: string,
  other: string,
  names: readonly string[],
  isSlower: (one: string, other: string) => boolean,
): boolean {
  return names.some((middle) => {
    if (!isSlower(one, middle)) return false;
    const rest = names.filter((each) => each !== middle);
    return isSlower(middle, other) || follows(middle, other, rest, isSlower);
  });
}

/** Returns the largest groups in which `has` holds for every two, of `most` at most, until each such pair is in one. */
function groups(
  sorted: readonly string[],
  has: (one: string, other: string) => boolean,
  most = Number.POSITIVE_INFINITY,
): string[][] {
  const found: string[][] = [];
  for (const [place, one] of sorted.entries()) {
    for (const other of sorted.slice(place + 1)) {
      if (!has(one, other) || found.some((group) => group.includes(one) && group.includes(other))) continue;
      const group = [one, other];
      for (const third of sorted) if (group.length < most && group.every((each) => has(each, third))) group.push(third);
      found.push(sorted.filter((each) => group.includes(each)));
    }
  }
  return found;
}

function farthest(targets: readonly string[], pairs: readonly KeptPairedRatio[]): number {
  const own = targets.flatMap((a, place) => targets.slice(place + 1).flatMap((b) => pairOf(pairs, a, b) ?? []));
  return Math.max(...own.map(({ joint }) => (joint ? Math.max(joint[1], 1 / joint[0]) - 1 : Number.POSITIVE_INFINITY)));
}

/** Joins names: `a, b and c`. */
export function all(names: readonly string[], last = 'and'): string {
  const [final = '', ...others] = names.toReversed();
  return others.length === 0 ? final : `${others.toReversed().join(', ')} ${last} ${final}`;
}

/** Formats a ratio with enough digits to differ from 1 and from 0: `1.42×`, `0.0021×`. */
export function times(ratio: number): string {
  return `${bare(ratio)}×`;
}

/** Returns true if an end of an interval is open, because medians did not arrive. */
export function isUnbounded(ratio: number): boolean {
  return ratio > 1e9;
}

function bare(ratio: number): string {
  if (isUnbounded(ratio)) return '∞';
  if (isUnbounded(1 / ratio)) return '0';
  if (ratio < 0.1) return ratio.toPrecision(2);
  const digits = ratio >= 100 ? 0 : ratio >= 10 ? 1 : ratio !== 1 && Math.abs(ratio - 1) < 0.005 ? 3 : 2;
  return ratio.toFixed(digits);
}

export function intervalText([low, high]: readonly [number, number]): string {
  return `[${bare(low)} – ${bare(high)}]`;
}

/** Formats a ratio with its interval, or a dash if a median did not arrive. */
export function ratioInWords({ ratio, interval }: Pick<KeptPairedRatio, 'ratio' | 'interval'>): string {
  return ratio === null || interval === null ? '–' : `${times(ratio)} ${intervalText(interval)}`;
}

/** Formats a share without needless digits: `5 %`, `0.5 %`. */
export function percentText(share: number): string {
  return `${Number((share * 100).toPrecision(2))} %`;
}

const whyWithheld = {
  tooFewStarts: 'too few starts',
  controlApart: 'the control differs from its twin',
} as const satisfies Record<WithheldReason, string>;

/** Returns the reason why no order is claimed, or an empty text if one is. */
export function withheldInWords({ withheld }: Pick<Paired, 'withheld'>): string {
  return withheld.map((reason) => whyWithheld[reason]).join('; ');
}
