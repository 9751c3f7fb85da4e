import { it } from 'vitest';
import { expectGolden } from '../../../test/golden.js';
import { goldenComparison, goldenRun, latency, resultDocument } from '../../../test/kept-golden.js';
import type { JudgedRatio } from '../../results/comparison.js';
import type { Paired } from '../../results/paired.js';
import { markdownText } from '../document/markdown.js';
import { ratioThresholdLines } from './statement.js';

function judged(more: Partial<JudgedRatio>): JudgedRatio {
  const { a = 'head', b = 'base', of = 'delivery.p50', comparison = '<', bound = 1.05 } = more;
  return {
    ...{ text: `${a}/${b} ${of} ${comparison} ${bound}`, a, b, of, comparison, bound },
    ...{
      ratio: 1.021,
      totals: null,
      ofMedians: null,
      bounds: [0.9854, 1.044],
      boundsAtLeast: [0.98, 1.049],
      holds: 'yes',
    },
    ...more,
  };
}

const undecided = { holds: 'open' } as const;
const lost = { of: 'lost', comparison: '<=', bound: 1, bounds: null, boundsAtLeast: null } as const;
const ratioThresholds = [
  judged({}),
  judged({ bound: 0.9, holds: 'no' }),
  judged({ bound: 1.03, ...undecided }),
  judged({ bound: 1.047, ...undecided }),
  judged({ of: 'delivery.last', ...undecided, ratio: null, bounds: null, boundsAtLeast: null }),
  judged({ ...lost, ratio: null, totals: [0, 0] }),
  judged({ ...lost, ratio: 2, totals: [14_000, 7000], holds: 'no' }),
];

const crowd: Paired['crowd'] = [
  { target: 'head', ratio: 1.5, interval: [1.4, 1.6] },
  { target: 'base', ratio: 1, interval: [0.9, 1.1] },
];
const pairedWith = (more: Partial<Paired>): Paired => ({ withheld: [], crowd: null, ...more }) as Paired;

it('says of each ratio whether it is kept, broken or undecided, and why', async () => {
  const lines = (more: Partial<Paired>, ...own: JudgedRatio[]): string =>
    ratioThresholdLines({ ratioThresholds: own, paired: pairedWith(more) }).join('\n');
  await expectGolden('ratio-thresholds.txt', {
    'lines of the terminal': lines({}, ...ratioThresholds),
    'one server that nobody restarts': lines({ sameProcesses: ['base'] }),
    'two of them': lines({ sameProcesses: ['base', 'head'] }, judged({})),
    'no order is claimed': lines({ withheld: ['controlApart'] }, judged(undecided)),
    'a crowd': lines({ crowd }, judged(undecided)),
    'Markdown of whole runs': markdownText(
      resultDocument({ ...goldenComparison([goldenRun('head', 1)]), ratioThresholds }, latency),
    ),
  });
});
