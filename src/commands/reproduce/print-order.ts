import type { Holds } from '../../measure/statement.js';
import { intervalText } from '../../render/paired/words.js';
import { orderReasons, statementWords } from '../../render/words/statement.js';
import type { ReproducedPair, Reproduction } from '../../results/reproduction.js';
import { plural } from '../../units/text.js';
import { orderOf } from './order.js';

/** If there are more pairs of one kind, they are counted instead of named. */
const namedAtMost = 6;

const words = statementWords.below;

type Ordered = Pick<Reproduction, 'pairs' | 'targets'>;

/** Says whether the contenders have the published order here: first what is known, then what is open. */
export function orderSentence({ pairs, targets }: Ordered): string {
  const { holds, yes, no, open } = orderOf(pairs);
  const all = plural(pairs.length, 'published pair');
  const of = `of ${all}`;
  const rest = open > 0 ? ` ${open} ${isOrAre(open)} open (${reasonsOf(pairs)}).` : '';
  const ran = targets.filter(({ state }) => state === 'ran').length;
  const who = ran === targets.length ? '' : ` ${ran} of ${targets.length} contenders ran.`;
  switch (holds) {
    case 'yes':
      return `The order is the same here: ${all}, all as published.${who}`;
    case 'no':
      return `The order differs here: ${no} ${of} ${isOrAre(no)} reversed, ${yes} ${holdOrHolds(yes)}.${rest}${who}`;
    case 'open':
      return yes > 0
        ? `${yes} ${of} ${holdOrHolds(yes)} here, and none is reversed.${rest}${who}`
        : `Undecided: ${all}, all open (${reasonsOf(pairs)}).${who}`;
    default:
      return 'There is no order to compare: no two contenders have a published figure that lies apart and ran here.';
  }
}

const isOrAre = (count: number): string => (count === 1 ? 'is' : 'are');
const holdOrHolds = (count: number): string => (count === 1 ? 'holds' : 'hold');

function reasonsOf(pairs: readonly ReproducedPair[]): string {
  const found = new Map<string, number>();
  for (const { holds, because = 'chance' } of pairs) {
    const reason = orderReasons[because] ?? because;
    if (holds === 'open') found.set(reason, (found.get(reason) ?? 0) + 1);
  }
  const [only] = found.keys();
  return found.size === 1 ? `${only}` : [...found].map(([reason, count]) => `${reason}: ${count}`).join('; ');
}

/** Returns the order in each figure: the pairs by name, or their number where there are too many to read. */
export function orderLines({ pairs }: Pick<Reproduction, 'pairs'>): [metric: string, text: string][] {
  return [...new Set(pairs.map(({ metric }) => metric))].map((metric) => {
    const inOrder = (holds: Holds, print: (a: string, b: string) => string): string[] => {
      const own = pairs.filter((pair) => pair.metric === metric && pair.holds === holds);
      if (own.length === 0) return [];
      const told =
        own.length > namedAtMost
          ? `${own.length} pairs`
          : own.map((pair) => `${print(pair.a, pair.b)}${shown(pair)}`).join(', ');
      return [`${words[holds]}: ${told}`];
    };
    const parts = [
      inOrder('yes', (a, b) => `${a} < ${b}`),
      inOrder('no', (a, b) => `${b} < ${a}`),
      inOrder('open', (a, b) => `${a} and ${b}`),
    ];
    return [metric, parts.flat().join(' · ')];
  });
}

/** Returns how many times `b` is of `a`, with the interval that decides. */
function shown({ interval }: ReproducedPair): string {
  return interval ? ` ${intervalText([1 / interval[1], 1 / interval[0]])}` : '';
}
