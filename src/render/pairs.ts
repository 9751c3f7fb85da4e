import type { Declaration } from '../measure/declaration.js';
import type { Comparison, Pair } from '../results/comparison.js';
import { isDoubtedCell } from './words/doubts.js';

/** For each column a line: who lies below whom by more than the noise, which pairs can't be told apart, and who has no order, as the rig may be in his figure. Empty without pairs. */
export function pairLines({ headline }: Declaration, { pairs, rows }: Pick<Comparison, 'pairs' | 'rows'>): string[] {
  const width = Math.max(...headline.map(({ title }) => title.length));
  return headline.flatMap((column) => {
    const { title } = column;
    const all = pairs.filter((each) => each.column === title);
    if (all.length === 0) return [];
    const doubted = rows.filter((row) => isDoubtedCell(column, row)).map(({ target }) => target);
    const ofColumn = all.filter(({ a, b }) => !doubted.includes(a) && !doubted.includes(b));
    const lower = new Map<string, string[]>();
    for (const { a, b, ratio } of ofColumn.filter(({ isBeyondNoise }) => isBeyondNoise)) {
      const [below, above] = ratio < 1 ? [a, b] : [b, a];
      lower.set(below, [...(lower.get(below) ?? []), above]);
    }
    const told = [...lower]
      .sort(([, one], [, other]) => other.length - one.length)
      .map(([below, above]) => `${below} < ${above.join(', ')}`);
    const unordered = doubted.length > 0 ? [`no order of what the rig may have a part in: ${doubted.join(', ')}`] : [];
    return [`${title.padEnd(width)}  ${[...told, ...untoldOf(ofColumn), ...unordered].join(' · ')}`];
  });
}

/** The pairs that the noise hides; nothing where it hides none. */
function untoldOf(pairs: readonly Pair[]): string[] {
  const untold = pairs.filter(({ isBeyondNoise }) => !isBeyondNoise);
  if (untold.length === 0) return [];
  if (untold.length > 1 && untold.length === pairs.length) return ['no two told apart'];
  const groups = [...new Set(untold.map(({ a }) => a))].map((one) => {
    const others = untold.filter(({ a }) => a === one).map(({ b }) => b);
    return `${one} from ${others.join(', ')}`;
  });
  return [`not told apart: ${groups.join('; ')}`];
}
