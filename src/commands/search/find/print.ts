import type { Holds } from '../../../measure/statement.js';
import { type Document, faulty, type Suite, toned } from '../../../render/document/document.js';
import { statementTones, statementWords } from '../../../render/words/statement.js';
import { milliseconds } from '../../../render/words/values.js';
import { withBound } from '../../../render/words/verdict-words.js';
import type { FindingPoint, FindResult } from '../../../results/search.js';
import { plural } from '../../../units/text.js';
import { duration } from '../../../units/unit.js';
import { disorderIn, edgesOf, isCapped, majority, type SearchShape, type Tried, votesAt } from '../rates.js';

/** Returns the document of a search: the two rates between which the threshold breaks, then every run in order. */
export function findDocument(finding: FindResult): Document {
  const { scenario, target, metric, percentile, limit, points, why, endedBecause } = finding;
  const rows = points.map((point) => [
    rateInWords(point.ratePerSecond),
    duration.print(point.durationMs),
    withBound(milliseconds(point.figure), endOf(point)),
    { text: statementWords.meets[point.holds], tone: statementTones[point.holds] },
    toned.aside(whyOf(point)),
  ]);
  const head = ['rate', 'load', `${metric} ${percentile}, ms`, 'threshold', ''];
  const isTold = endedBecause === '' || finding.answer === 'limitPassed' || why.includes(endedBecause);
  const limits = [
    ...why.map((text) => toned.doubtful(`undecided: ${text}`)),
    ...(isTold ? [] : [`No higher rate ran: ${endedBecause}`]),
  ];
  return {
    title: `find  ${scenario} of ${target}, the highest rate with ${metric}.${percentile} < ${milliseconds(limit)} ms`,
    parts: [
      { isAnswer: true, blocks: [outcome(finding), ...limits, toned.aside(lengths(finding))] },
      { blocks: [{ head, rows, left: [3, 4], ifNarrow: 'columns' }] },
    ],
    suites: [suiteOf(finding)],
  };
}

function suiteOf(finding: FindResult): Suite {
  const { scenario, target, tool, answer } = finding;
  const name = 'the highest rate is known';
  const check = answer === 'undecided' ? faulty(name, 'error', answer, outcome(finding)) : { name };
  return {
    name: `find ${scenario} ${target}`,
    timestamp: '',
    seconds: 0,
    properties: { version: tool.version, answer: outcome(finding) },
    checks: [check],
  };
}

function endOf({ holds, leastUs, figure }: FindingPoint): string | undefined {
  if (holds !== 'open' || leastUs === null || leastUs === figure) return undefined;
  return leastUs > 0 ? milliseconds(leastUs) : '';
}

/** Says why a run is not good. The figure itself shows that it broke the limit. */
export function whyOf({ signs, why, figure, holds }: FindingPoint): string {
  if (holds === 'open') return [...new Set(why.map((text) => text.split(':')[0]))].join(', ');
  return signs.flatMap(({ sign, text }) => (sign === 'limit' && figure !== null ? [] : [text])).join('; ');
}

function outcome({ answer, interval: [low, high], points, endedBecause }: FindResult): string {
  const between = () => [low, high].map((rate) => rateInWords(rate as number)).join(' and ');
  switch (answer) {
    case 'found':
      return `The target keeps the threshold up to between ${between()}.`;
    case 'keptAtAll':
      return `The target keeps the threshold at every rate tried, up to ${rateInWords(low as number)}.`;
    case 'brokenAtAll':
      return `The target breaks the threshold at every rate tried, down to ${rateInWords(high as number)}.`;
    case 'limitPassed': {
      const kept =
        low === null ? 'no rate before it kept the threshold' : `the threshold held up to ${rateInWords(low)}`;
      return `The search ended at its limit, ${endedBecause}; ${kept}.`;
    }
    case 'undecided': {
      const open = 'Undecided up to which rate the target keeps the threshold';
      const runs = points.filter(({ ratePerSecond }) => ratePerSecond === low).length;
      const kept = `The target kept the threshold at ${rateInWords(low ?? 0)}, in ${plural(runs, 'run')}`;
      return low === null ? `${open}.` : `${kept}. Whether it keeps it at a higher rate is undecided.`;
    }
  }
}

function lengths({ repeat, durationMs, points, percentile, metric }: FindResult): string {
  const ends = `Each end of the answer is ${repeat === 1 ? 'one run' : `${repeat} runs that agree`}`;
  const isLonger = points.some((point) => point.durationMs > durationMs);
  const longer = isLonger ? `, and longer at low rates, where ${metric}.${percentile} or the given size needs it` : '';
  return `${ends}; the load of each run lasts ${duration.print(durationMs)}${longer}.`;
}

/** An interval wider than this share of its lower end is no answer. */
const widest = 0.5;

/** Returns the answer of a search, and why it is undecided. `endedBecause` is empty if it came to its end. */
export function findAnswer(
  points: readonly FindingPoint[],
  tried: readonly Tried[],
  shape: SearchShape,
  endedBecause: string,
): Pick<FindResult, 'answer' | 'why'> {
  const { keptUpTo, failedFrom, interval } = edgesOf(tried);
  const [low, high] = interval;
  const why = [
    ...(endedBecause === '' ? [] : [endedBecause]),
    ...(isCapped(tried, shape) ? [`${points.length} runs did not prove where the threshold breaks`] : []),
    ...outOfOrder(tried),
    ...[...new Set([failedFrom, high])].flatMap((at) => (at === null ? [] : sidelessAt(points, tried, at))),
  ];
  if (tried.length === 0 && why.length === 0) why.push('no rate could be judged');
  const torn = tried.filter(({ votes }) => new Set(votes).size > 1).sort((a, b) => a.ratePerSecond - b.ratePerSecond);
  const isWide = low === null || high === null || high > low * (1 + widest);
  if (keptUpTo !== null && failedFrom !== null && why.length === 0 && isWide)
    why.push(
      `runs at the same rate disagree: ${torn.map(({ ratePerSecond }) => keptAt(tried, ratePerSecond)).join(', ')}`,
    );
  if (why.length > 0) return { answer: 'undecided', why };
  return { answer: failedFrom === null ? 'keptAtAll' : keptUpTo === null ? 'brokenAtAll' : 'found', why };
}

function outOfOrder(tried: readonly Tried[]): string[] {
  const [broken, above] = disorderIn(tried);
  if (broken === undefined || above === undefined) return [];
  return [`${keptAt(tried, above)}, and ${rateInWords(broken)} broke it in ${share(votesAt(tried, broken), 'no')}`];
}

function keptAt(tried: readonly Tried[], rate: number): string {
  return `${rateInWords(rate)} kept the threshold in ${share(votesAt(tried, rate), 'yes')}`;
}

function share(votes: readonly Holds[], side: Holds): string {
  return `${votes.filter((holds) => holds === side).length} of ${votes.length} runs`;
}

function sidelessAt(points: readonly FindingPoint[], tried: readonly Tried[], at: number): string[] {
  if (majority(votesAt(tried, at)) !== 'open') return [];
  const last = points.findLast(({ ratePerSecond, holds }) => ratePerSecond === at && holds === 'open');
  const [first = '', ...more] = last?.why ?? [];
  const others = more.length > 0 ? `, and for ${plural(more.length, 'more reason')} that the table names` : '';
  return [`the runs at ${rateInWords(at)} take no side: ${first}${others}`];
}

/** Renders a rate to three digits. */
export function rateInWords(perSecond: number): string {
  return `${Number(perSecond.toPrecision(3))}/s`;
}
