import { type Holds, worstOf } from '../../measure/statement.js';
import { ratioInWords } from '../../render/paired/claims.js';
import { orderReasons, statementWords } from '../../render/words/statement.js';
import type { ReproducedPair, Reproduction } from '../../results/published.js';
import { plural } from '../../units/text.js';

/** Holds what a source claims on the order of some figures, and whether it holds here. Null for a single pair. */
export interface Claim {
  text: string | null;
  pairs: ReproducedPair[];
  holds: Holds;
}

/** Returns the claims of a source, then each pair of figures that is in none of them. */
export function claimsIn({ pairs, table }: Pick<Reproduction, 'pairs' | 'table'>): Claim[] {
  const of = (text: string | null, own: ReproducedPair[]): Claim => {
    return { text, pairs: own, holds: worstOf(own.map(({ holds }) => holds)) };
  };
  const stated = table.claims.map(({ text, metric, lower, higher }) => {
    const isIn = (pair: ReproducedPair): boolean =>
      pair.metric === metric && lower.includes(pair.a) && higher.includes(pair.b);
    return of(text, pairs.filter(isIn));
  });
  const found = stated.filter((claim) => claim.pairs.length > 0);
  const rest = pairs.filter((pair) => !found.some((claim) => claim.pairs.includes(pair)));
  return [...found, ...rest.map((pair) => of(null, [pair]))];
}

/** Counts the claims by their answers. */
export function claimCounts(claims: readonly Pick<Claim, 'holds'>[]): Record<Holds, number> {
  const count = (asked: Holds): number => claims.filter(({ holds }) => holds === asked).length;
  return { yes: count('yes'), no: count('no'), open: count('open') };
}

/** Says how many claims hold here, and why the others do not. */
export function claimSentence(claims: readonly Claim[]): string {
  if (claims.length === 0) return 'There is no order to compare: no two contenders have figures that lie apart.';
  const { yes, no, open } = claimCounts(claims);
  const said = [
    yes > 0 && `${yes} ${yes === 1 ? 'holds' : 'hold'} here`,
    no > 0 && `${no} ${no === 1 ? 'does' : 'do'} not${yes === 0 ? ' hold here' : ''}`,
    open > 0 && `${open} can’t be decided (${reasonsOf(claims)})`,
  ].filter((each) => each !== false);
  return `Of ${plural(claims.length, 'claim')} ${said.join(', ')}.`;
}

function reasonsOf(claims: readonly Claim[]): string {
  const found = new Map<string, number>();
  for (const { holds, pairs } of claims) {
    if (holds !== 'open') continue;
    const { because } = pairs.find((pair) => pair.holds === 'open')!;
    const [reason] = orderReasons[because ?? 'chance'];
    found.set(reason, (found.get(reason) ?? 0) + 1);
  }
  return found.size === 1 ? [...found.keys()].join() : [...found].map(([why, of]) => `${why}: ${of}`).join('; ');
}

/** Says what is known about a pair, with how many times `b` is of `a`, or why it is open and what would decide it. */
export function pairInWords(
  { a, b, holds, because = 'chance', ratio, interval, second }: ReproducedPair,
  { rig, targets }: Pick<Reproduction, 'rig' | 'targets'>,
): string {
  const [low, high] = interval ?? [];
  const times = ratio && low && high ? ` ${ratioInWords({ ratio: 1 / ratio, interval: [1 / high, 1 / low] })}` : '';
  if (holds === 'open' && because === 'absent')
    return targets
      .filter(({ target, state }) => state !== 'ran' && [a, b].includes(target))
      .map(({ target, why }) => `open: ${target} did not run: ${why}`)
      .join(' ');
  if (holds === 'open') return `open${times}: ${orderReasons[because].join('; to decide: ')}`;
  const other = rig.client === 'wire' ? 'library clients' : 'wire clients';
  const word = statementWords.below[holds];
  if (!second) return `${word}${times}`;
  const says = { no: `confirmed by ${other}`, yes: `not so by ${other}`, open: `${other} can’t tell` }[second.holds];
  return `${word}${times}, ${says}${second.why === '' ? '' : ` (${second.why})`}`;
}
