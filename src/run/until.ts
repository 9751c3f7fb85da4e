import { binsPerBlock } from '../measure/samples/blocks.js';
import { type Aim, aimOf, checkShares, checks, reachOf } from '../measure/stats/checks.js';
import { percent } from '../measure/verdict/facts.js';
import { liveMetric } from '../results/figures.js';
import type { ProgressView } from '../results/progress.js';
import type { Scenario } from '../scenarios/scenario.js';

const figures = ['p50', 'p95', 'p99'] as const;
type LiveFigure = (typeof figures)[number];

/** Explains why a run of that scenario can't end by this text, as what was expected. Undefined if it can. */
export function untilFault(text: string, scenario: Scenario, options: Record<string, unknown>): string | undefined {
  const metric = liveMetric(scenario, options);
  if (metric === undefined) return `expected a scenario that times its figure in the run, received ${scenario.name}`;
  const aim = aimOf(text);
  if (aim?.metric === metric && isLive(aim.figure)) return undefined;
  const known = figures.map((figure) => `${metric}.${figure}`).join(', ');
  return `expected ${known} and a share such as ±10%, received ${text}`;
}

function isLive(figure: Aim['figure']): figure is LiveFigure {
  return (figures as readonly string[]).includes(figure);
}

/** Looks at the seconds of a run, at times fixed before it, until its figure is known well enough. */
export class Until {
  readonly #blocks: Uint32Array[] = [];
  readonly #dueAfter: number[];
  #looked = 0;

  constructor(
    private readonly aim: Aim,
    { blockTimes }: Pick<Scenario, 'blockTimes'>,
    options: Record<string, unknown>,
    private readonly seed: number,
  ) {
    const { units = 0, everyMs = 0 } = blockTimes?.(options)[aim.metric] ?? {};
    // The last check is that of the whole run.
    this.#dueAfter = checkShares()
      .map((share) => ((units * everyMs) / 1000) * share)
      .slice(0, -1);
  }

  /** Returns how well the figure is known, once that is enough. */
  look({ seconds, percentiles }: Pick<ProgressView, 'seconds' | 'percentiles'>): string | undefined {
    for (const { bins } of seconds) {
      const block = new Uint32Array(binsPerBlock);
      for (const pairs of bins) for (let at = 0; at < pairs.length; at += 2) block[pairs[at]!]! += pairs[at + 1]!;
      if (bins.some(({ length }) => length > 0)) this.#blocks.push(block);
    }
    const due = this.#dueAfter.filter((after) => after <= this.#blocks.length).length;
    if (due <= this.#looked) return undefined;
    this.#looked = due;
    const { text, figure, within } = this.aim;
    const reach = isLive(figure) && percentiles?.[figure] ? reachOf(this.#blocks, figure, this.seed) : undefined;
    if (reach === undefined || reach > within) return undefined;
    return `${text}: known to ±${percent(reach)} at check ${due} of ${checks}`;
  }
}
