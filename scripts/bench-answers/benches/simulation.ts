import { setImmediate as turn } from 'node:timers/promises';
import { type AnswerBench, type AnswerContext, boundsFor, findingsOf, repeatsOf } from '../bench.js';
import { type SimulatedCase, simulatedCases } from '../cases/simulated.js';
import { drawRounds, medianUs, randomOf } from '../model.js';
import { equalWithin, play, startsPlanned } from '../product.js';
import { type CaseRow, type Repeat, type Truth, tally } from '../tally.js';

const times = { full: 1000, quick: 50 };
const seed = 1;
const ownTwin = 'twin';
/** Two medians within this difference of logarithms are equal, except for rounding errors. */
const sameLog = 1e-6;

const bounds = boundsFor('simulation', ['orders', 'intervals', 'control', 'told', 'reasons']);

/** Plays comparisons many times with the product's own rules. Their truth is known exactly. */
export const simulation: AnswerBench = {
  name: 'simulation',
  bounds: [...bounds.values()],
  async run(context) {
    const rows: CaseRow[] = [];
    for (const each of simulatedCases) {
      const row = await simulated(each, context);
      context.row(row);
      rows.push(row);
    }
    return findingsOf(bounds, rows);
  },
};

/** Plays one case. */
export async function simulated(
  {
    name,
    targets,
    rounds,
    starts: planned = startsPlanned,
    told = [],
    isToldPromised = false,
    undecided = [],
  }: SimulatedCase,
  context: Pick<AnswerContext, 'isQuick' | 'times' | 'signal'>,
): Promise<CaseRow> {
  const [[original, ofOriginal] = ['', undefined]] = Object.entries(targets);
  if (!ofOriginal) throw new Error(`no target in the case ${name}`);
  const models = [...Object.values(targets), ofOriginal];
  const sides = Object.keys(targets).map((target) => ({ target, twinOf: null as string | null }));
  const twin = { target: ownTwin, twinOf: original };
  const random = randomOf(seed);
  const truth = truthIn(targets, rounds);
  const repeats: Repeat[] = [];
  for (let repeat = 0; repeat < repeatsOf(context, times); repeat++) {
    const answer = play({
      ...{ planned, targets: [...sides, twin] },
      start: () => models.map((model) => drawRounds(model, rounds, random)),
    });
    repeats.push({ answer, truth });
    // Between two comparisons, this handles a signal of the user.
    await turn();
    context.signal.throwIfAborted();
  }
  const expected = { name, equalWithin, told, isToldPromised, undecided: ['chance', 'control', ...undecided] as const };
  return tally(expected, 'simulated', repeats);
}

/** Returns the ratio of the medians of all rounds that the targets can have. */
export function truthIn(targets: SimulatedCase['targets'], rounds: number): Repeat['truth'] {
  const usual = new Map(Object.entries(targets).map(([target, model]) => [target, medianUs(model, rounds)]));
  return (a, b): Truth => {
    const ratio = usual.get(a)! / usual.get(b)!;
    return { low: ratio, high: ratio, isEqual: Math.abs(Math.log(ratio)) < sameLog };
  };
}
