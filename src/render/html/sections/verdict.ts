import { stopReasons } from '../../../contract/stop-reasons.js';
import type { Declaration } from '../../../measure/declaration.js';
import type { Comparison } from '../../../results/comparison.js';
import { resultViewOf } from '../../../results/over-time/readings.js';
import { holdsOf, type RunResult } from '../../../results/result.js';
import { ratioThresholdsInWords, sameProcessesLines } from '../../ratio-thresholds.js';
import { attachedInWords, notesOf, talkLines } from '../../words/notes.js';
import { statementWords } from '../../words/statement.js';
import { milliseconds, thresholdInWords } from '../../words/values.js';
import {
  boundTexts,
  headline,
  networkInWords,
  saidOf,
  trustInWords,
  verdictInWords,
} from '../../words/verdict-words.js';
import { html, type Markup } from '../document.js';
import type { Report, ReportRun } from '../runs.js';

const marks = { clean: '✓', starved: '!', short: '!', limited: '!', void: '✗' } as const;
const stateMarks = { yes: '✓ passed', no: '✗ failed', open: '? undecided' } as const;
const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

export function verdictCard({ label, result }: ReportRun, scenario: Declaration, isSole: boolean): Markup {
  const { verdict, stop, environment } = result;
  const said = saidOf(result, scenario);
  const { title, means } = stopReasons[stop.code];
  const why = stop.evidence.length > 0 ? `: ${stop.evidence.join('; ')}` : '';
  const evidence = verdict.evidence.map(
    ({ rule, text }) => html`<li><a href="#rule-${rule}"><code>${rule}</code></a> ${text}</li>`,
  );
  const doubtful = [...boundTexts(verdict), ...notesOf(result, scenario)];
  const network = networkInWords(result);
  const { trust } = environment;
  const says = sentence(verdictInWords(result, scenario));
  const rig = trust && `Rig: ${trustInWords(trust).replaceAll('`', '')}.`;
  return html`<div class="verdict ${said}">
${isSole ? '' : html`<h3>${label}</h3>`}
${headline(result, scenario).map((text) => html`<p class="answer"><strong>${text}</strong></p>`)}
<p class="says"><span class="mark" aria-hidden="true">${marks[said]}</span> ${says}</p>
${evidence.length > 0 && html`<ul>${evidence}</ul>`}
${thresholds(result)}
<p>Stop: <strong>${title}</strong>${why}. <span class="aside">${sentence(means)}</span> ${stop.advice}</p>
${talkLines(result).map((text) => html`<p class="aside">${text}</p>`)}
${network !== '' && html`<p class="aside">Network: ${network}.</p>`}
${doubtful.map((text) => html`<p class="doubtful">${text}</p>`)}
${attachedInWords(environment).map((text) => html`<p class="aside">Driver: ${text}.</p>`)}
${rig && html`<p class="${trust?.place === 'beyond' ? 'doubtful' : 'aside'}">${rig}</p>`}
</div>
`;
}

function thresholds({ thresholds: all, metrics }: RunResult): Markup | false {
  const items = all.map((threshold) => {
    const { text, value } = threshold;
    const words = thresholdInWords(threshold, metrics);
    const shown = value === null ? words : html`<data value="${value}">${words}</data>`;
    const state = holdsOf(threshold);
    const word = statementWords.meets[state];
    return html`<li class="${word}"><span>${stateMarks[state]}</span>: <code>${text}</code> (${shown})</li>`;
  });
  return all.length > 0 && html`<ul class="thresholds" aria-label="Thresholds">${items}</ul>`;
}

/** Formats a scenario's own lines besides distributions and ledger, run by run, as in the terminal. */
export function figureLines({ runs, scenario }: Report): Markup[] {
  return runs.flatMap(({ label, result }) => {
    const lines = scenario.figureLines?.(result.metrics, result.ledger, milliseconds, resultViewOf(result)) ?? [];
    if (lines.length === 0) return [];
    const heading = runs.length > 1 && html`<h3>${label}</h3>`;
    return [
      html`${heading}<pre class="lines" tabindex="0" aria-label="${`Table of ${label}`}">${lines.join('\n')}</pre>`,
    ];
  });
}

/** Lists the limits of ratios: kept, broken or open. Returns an empty text without limits. */
export function ratioThresholdList(comparison: Pick<Comparison, 'ratioThresholds' | 'paired'>): Markup {
  const items = ratioThresholdsInWords(comparison).map(
    ({
      holds,
      mark,
      text,
      found,
    }) => html`<li class="${statementWords.meets[holds]}"><span>${mark}</span> <code>${text}</code>: ${found}</li>
`,
  );
  return html`${items.length > 0 && html`<ul class="thresholds" aria-label="Thresholds of ratios">${items}</ul>`}
${sameProcessesLines(comparison).map((text) => html`<p class="aside">${text}</p>`)}`;
}
