import { basename } from 'node:path';
import type { Declaration } from '../../../measure/declaration.js';
import { pairOf } from '../../../measure/statement.js';
import type { Comparison } from '../../../results/comparison.js';
import type { KeptPairedRatio, Paired } from '../../../results/paired.js';
import { intervalText, percentText, ratioInWords, times, withheldInWords } from '../../paired/words.js';
import { statementWords } from '../../words/statement.js';
import { milliseconds } from '../../words/values.js';
import type { TableCell } from '../charts/chart.js';
import { dataTable, inMs } from '../charts/figure.js';
import { html, type Markup } from '../document.js';
import { pairPicture, slowerFirst } from './ratios.js';

/** Formats the evidence behind the sentences in a folded section: pairs, targets, starts and single runs. */
export function pairedEvidence(comparison: Comparison, paired: Paired, { publishes }: Declaration): Markup {
  const { lastPairs, withheld, pairs } = paired;
  const isClaimed = withheld.length === 0;
  const last = publishes ? 'delivery of each broadcast' : 'answer of each round';
  return html`${folded(
    'Every pair',
    html`${!isClaimed && html`<p class="doubtful">No order is claimed: ${withheldInWords(paired)}.</p>`}
${pairPicture(paired)}${pairs.length > 0 && pairTable(paired)}`,
  )}
${lastPairs.length > 0 && folded(`Every pair, by the last ${last}`, lastTable(lastPairs))}
${folded('Every target, the twin included', targetTable(paired))}
${folded('Every start', startTable(paired))}
${folded('Verdicts of the single runs', runTable(comparison))}
`;
}

function folded(title: string, body: Markup): Markup {
  return html`<details><summary>${title}</summary>${body}</details>`;
}

function pairTable({ pairs, rawPairs, control }: Paired): Markup {
  const all = [...slowerFirst(pairs), ...(control ? [control] : [])];
  const rows = all.map((pair) => {
    const raw = pairOf(rawPairs, pair.a, pair.b);
    return [...cellsOf(pair), raw ? inOneLine(ratioInWords(raw)) : '–', statementWords.differs[pair.holds]];
  });
  const head = [...heads, 'with no round excluded', 'conclusion'];
  return html`${dataTable('Ratios of the median', head, rows)}
<p class="aside">An order stands only if it also stands without the time that the load generator may have added.</p>`;
}

const heads = ['a to b', 'ratio', '95 % over starts', 'for all pairs at once', '95 %, these processes'];

function cellsOf({ a, b, ratio, interval, joint, theseProcesses }: KeptPairedRatio): (TableCell | Markup)[] {
  const intervals = [interval, joint, theseProcesses].map((each) => (each ? inOneLine(intervalText(each)) : '–'));
  return [`${a} to ${b}`, ratio === null ? '–' : { value: ratio, text: times(ratio) }, ...intervals];
}

function inOneLine(text: string): Markup {
  return html`<span class="interval">${text}</span>`;
}

function lastTable(pairs: readonly KeptPairedRatio[]): Markup {
  const rows = slowerFirst(pairs).map((pair) => [...cellsOf(pair), statementWords.differs[pair.holds]]);
  return dataTable('Ratios of the last', [...heads, 'conclusion'], rows);
}

function targetTable({ targets, crowd, after }: Paired): Markup {
  const rows = targets.map(({ target, p50Us, p50AtLeastUs, tail, deliveredShare, excludedShare, cpuCores }) => [
    target,
    inMs(p50Us),
    inMs(p50AtLeastUs),
    tail ? `${tail.figure} ${milliseconds(tail.us)}` : '–',
    deliveredShare === null ? null : { value: deliveredShare, text: percentOf(deliveredShare) },
    { value: excludedShare, text: percentText(excludedShare) },
    cpuCores,
    effectOn(crowd, target),
    effectOn(after, target),
  ]);
  const head = [
    'target',
    'p50, ms',
    'at least, ms',
    'tail, ms',
    'delivered',
    'rounds excluded',
    'cores in the rounds',
    'among idle neighbours, to alone',
    'slots after it, to others',
  ];
  return dataTable('Targets over all starts', head, rows);
}

/** Formats an effect that was measured for each target. A dash means it was not measured. */
function effectOn(effects: Paired['crowd'], target: string): Markup | string {
  const effect = effects?.find((each) => each.target === target);
  return effect ? inOneLine(ratioInWords(effect)) : '–';
}

const percentOf = (share: number): string => (share < 1 ? `${Math.min(99.99, share * 100).toFixed(2)} %` : '100 %');

function startTable({ targets, starts }: Paired): Markup {
  const rows = starts.map((start, number) => [
    `start ${number + 1}`,
    ...start.map(({ p50Us }) => inMs(middle(p50Us.map((us) => us ?? Number.POSITIVE_INFINITY)))),
  ]);
  return html`${dataTable('The middle round of each start, ms', ['', ...targets.map(({ target }) => target)], rows)}
<p class="aside">experiment.json has every round.</p>`;
}

function middle(values: readonly number[]): number | null {
  const found = values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
  return found !== undefined && Number.isFinite(found) ? found : null;
}

function runTable({ rows }: Comparison): Markup {
  const runs = rows.flatMap(({ target, runs: own }) =>
    own.map(({ directory, result: { verdict } }, number) => [
      `${target} ${number + 1}`,
      verdict.rig,
      verdict.evidence.map(({ rule, text }) => `${rule}: ${text}`).join('; ') || '–',
      html`<code>${basename(directory)}</code>`,
    ]),
  );
  return dataTable('Single runs, each judged by itself', ['run', 'verdict', 'why', 'kept in'], runs);
}
