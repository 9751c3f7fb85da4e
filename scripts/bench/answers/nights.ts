import { changePoints } from '../../../src/measure/stats/change-points.js';
import { type BenchContext, type Bound, type Finding, repeated } from '../judge.js';
import { randomOf } from './model.js';

/** Nights of a figure whose standard deviation is 3 %. A busy machine adds a fifth in one of twenty nights. */
const nights = 30;
const sd = 0.03;
const busy = { share: 0.05, times: 1.2 };
const change = 1.12;
/** Nights before and after a change, at least. */
const beside = 8;

interface Simulated {
  isFound: boolean;
  isFalse: boolean;
}

/** Simulates a series with a change and one without, and looks for changes in both. */
export function simulateNights(seed: number): Simulated {
  const random = randomOf(seed);
  const at = beside + Math.floor(random.uniform() * (nights - 2 * beside + 1));
  const series = (times: number): number[] =>
    Array.from({ length: nights }, (_, night) => {
      const ofMachine = random.uniform() < busy.share ? busy.times : 1;
      return 5000 * ofMachine * Math.exp(random.normal() * sd) * (night >= at ? times : 1);
    });
  return {
    isFound: changePoints(series(change)).some((found) => Math.abs(found - at) <= 1),
    isFalse: changePoints(series(1)).length > 0,
  };
}

/** Looks for known changes of 12 %, and for changes where there are none. */
export async function changesOverNights(
  { missed, alarms }: Record<'missed' | 'alarms', Bound>,
  context: BenchContext,
): Promise<Finding[]> {
  const repeats = await repeated(context, { full: 1000, quick: 100 }, async (repeat) => simulateNights(repeat));
  const findingOf = (bound: Bound, isWrong: (each: Simulated) => boolean): Finding => {
    const wrong = repeats.filter(isWrong).length;
    return { bound, value: wrong / repeats.length, detail: `${wrong} of ${repeats.length}` };
  };
  return [findingOf(missed, ({ isFound }) => !isFound), findingOf(alarms, ({ isFalse }) => isFalse)];
}
