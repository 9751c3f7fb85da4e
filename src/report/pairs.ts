import type { Scenario } from '../contract/catalog.js';
import type { Pair } from '../contract/comparison.js';

/** For each column a line: who lies below whom by more than the noise, and which pairs can't be told apart. Empty without pairs. */
export function pairLines({ headline }: Scenario, pairs: readonly Pair[]): string[] {
  const width = Math.max(...headline.map(({ title }) => title.length));
  return headline.flatMap(({ title }) => {
    const ofColumn = pairs.filter(({ column }) => column === title);
    if (ofColumn.length === 0) return [];
    const lower = new Map<string, string[]>();
    for (const { a, b, ratio } of ofColumn.filter(({ isBeyondNoise }) => isBeyondNoise)) {
      const [below, above] = ratio < 1 ? [a, b] : [b, a];
      lower.set(below, [...(lower.get(below) ?? []), above]);
    }
    const told = [...lower]
      .sort(([, one], [, other]) => other.length - one.length)
      .map(([below, above]) => `${below} < ${above.join(', ')}`);
    return [`${title.padEnd(width)}  ${[...told, ...untoldOf(ofColumn)].join(' · ')}`];
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
