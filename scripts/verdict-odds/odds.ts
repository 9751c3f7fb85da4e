import { milliseconds } from '../../src/render/words/figures.js';
import { columns } from '../../src/render/words/table.js';
import type { Verdict } from '../../src/results/result.js';
import type { Shape } from './shapes.js';

/** One run of a shape: its verdict, its delivery p99 in microseconds, and where it is kept. */
export interface Throw {
  verdict: Verdict;
  p99: number | null;
  directory: string;
}

/** A shape and the runs that were made of it. */
export interface Outcome {
  shape: Pick<Shape, 'name' | 'what' | 'promised' | 'inTen'>;
  throws: readonly Throw[];
}

/** How often a verdict came out. */
export function timesOf(throws: readonly Throw[], rig: Verdict['rig']): number {
  return throws.filter(({ verdict }) => verdict.rig === rig).length;
}

/** Whether the promised verdict came out often enough; of no run at all nothing is kept. */
export function isKept({ shape, throws }: Outcome): boolean {
  return throws.length > 0 && timesOf(throws, shape.promised) * 10 >= throws.length * shape.inTen;
}

/** The odds for the terminal: a row for each shape, then every rule that spoke with how often and its latest words, then where the runs are that came out otherwise. */
export function renderOdds(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map((outcome) => {
    const { shape, throws } = outcome;
    const verdicts = (['clean', 'limited', 'void'] as const).map((rig) => String(timesOf(throws, rig)));
    const promise = `${shape.promised} in ${shape.inTen} of 10`;
    return [shape.name, shape.what, ...verdicts, p99sOf(throws), promise, isKept(outcome) ? 'kept' : 'BROKEN'];
  });
  const head = ['shape', 'load', 'clean', 'limited', 'void', 'delivery p99, ms', 'promised', ''];
  const rules = outcomes.flatMap(({ shape, throws }) =>
    rulesIn(throws).map(({ rule, times, text }) => [shape.name, rule, `${times} of ${throws.length}`, text]),
  );
  const others = outcomes.flatMap(({ shape, throws }) =>
    throws
      .filter(({ verdict }) => verdict.rig !== shape.promised)
      .map(({ verdict, directory }) => `${shape.name}, but ${verdict.rig}: kept in ${directory}`),
  );
  return [
    columns(head, rows, [0, 1, 6, 7]),
    ...(rules.length > 0 ? ['', columns(['shape', 'rule', 'spoke in', 'for example'], rules, [0, 1, 3])] : []),
    ...(others.length > 0 ? ['', ...others] : []),
  ].join('\n');
}

/** Every rule that spoke, the commonest first; a rule speaks once in a run. */
export function rulesIn(throws: readonly Throw[]): { rule: string; times: number; text: string }[] {
  const found = new Map<string, { rule: string; times: number; text: string }>();
  for (const { rule, text } of throws.flatMap(({ verdict }) => verdict.evidence)) {
    found.set(rule, { rule, times: (found.get(rule)?.times ?? 0) + 1, text });
  }
  return [...found.values()].sort((a, b) => b.times - a.times);
}

/** From the smallest to the largest. */
function p99sOf(throws: readonly Throw[]): string {
  const known = throws.flatMap(({ p99 }) => p99 ?? []).sort((a, b) => a - b);
  const [least] = known;
  return least === undefined ? '–' : `${milliseconds(least)} to ${milliseconds(known.at(-1))}`;
}
