import { minRuns } from '../../measure/stats/estimate.js';
import { plural } from '../../units/words.js';
import { orderOf } from './order.js';
import type { ReproducedPair, Reproduction } from './reproduction.js';

/** More pairs of one kind are counted, not named. */
const namedAtMost = 6;

const reasons: Readonly<Record<NonNullable<ReproducedPair['because']>, string>> = {
  fewRuns: `fewer than ${minRuns} valid runs`,
  chance: 'chance may explain the difference',
  rig: 'the rig may have made the difference',
  notJudged: 'no scoreboard has the figure',
};

type Ordered = Pick<Reproduction, 'pairs' | 'targets' | 'order'>;

/** One sentence: whether the contenders stand in the published order here. */
export function orderSentence({ pairs, targets, order = orderOf(pairs) }: Ordered): string {
  const { here, same, other, open } = order;
  const all = plural(same + other + open, 'published pair');
  const parts = [
    `${same} as published`,
    `${other} reversed`,
    ...(open > 0 ? [`${open} open (${reasonsOf(pairs)})`] : []),
  ];
  const ran = targets.filter(({ state }) => state === 'ran').length;
  const who = ran === targets.length ? '' : `, and ${ran} of ${targets.length} contenders ran`;
  switch (here) {
    case 'same':
      return `The order of the contenders is the same here: ${all}, all as published${who}.`;
    case 'different':
      return `The order of the contenders is different here. Of ${all}: ${parts.join(', ')}${who}.`;
    case 'undecided':
      return `The order of the contenders can’t be decided here. Of ${all}: ${parts.join(', ')}${who}.`;
    case 'nothing':
      return 'There is no order to compare: no two contenders have a published figure that lies apart and ran here.';
  }
}

function reasonsOf(pairs: readonly ReproducedPair[]): string {
  const found = new Map<string, number>();
  for (const { here, because = 'chance' } of pairs)
    if (here === 'open') found.set(reasons[because], (found.get(reasons[because]) ?? 0) + 1);
  const [only] = found.keys();
  return found.size === 1 ? `${only}` : [...found].map(([reason, count]) => `${reason}: ${count}`).join('; ');
}

/** The order in each figure: the pairs by name, or how many where there are too many to read. */
export function orderLines({ pairs }: Pick<Reproduction, 'pairs'>): [metric: string, text: string][] {
  return [...new Set(pairs.map(({ metric }) => metric))].map((metric) => {
    const inOrder = (here: ReproducedPair['here'], name: string, print: (a: string, b: string) => string): string[] => {
      const own = pairs.filter((pair) => pair.metric === metric && pair.here === here);
      if (own.length === 0) return [];
      const told = own.length > namedAtMost ? `${own.length} pairs` : own.map(({ a, b }) => print(a, b)).join(', ');
      return [`${name}: ${told}`];
    };
    const parts = [
      inOrder('same', 'as published', (a, b) => `${a} < ${b}`),
      inOrder('other', 'reversed', (a, b) => `${b} < ${a}`),
      inOrder('open', 'undecided', (a, b) => `${a} and ${b}`),
    ];
    return [metric, parts.flat().join(' · ')];
  });
}
