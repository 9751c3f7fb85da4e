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
    const untold = ofColumn.filter(({ isBeyondNoise }) => !isBeyondNoise).map(({ a, b }) => `${a} and ${b}`);
    const said = [...told, ...(untold.length > 0 ? [`not told apart: ${untold.join(', ')}`] : [])];
    return [`${title.padEnd(width)}  ${said.join(' · ')}`];
  });
}
