import type { Comparison } from '../../../results/comparison.js';
import { ratioThresholdsInWords, sameProcessesLines } from '../../ratio-thresholds.js';
import { statementWords } from '../../words/statement.js';
import { html, type Markup } from '../markup.js';

/** The limits of ratios, kept, broken or undecided; empty without any. */
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
