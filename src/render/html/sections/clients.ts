import { toldOf } from '../../../results/over-time/readings.js';
import { milliseconds } from '../../words/figures.js';
import { html, type Markup } from '../markup.js';
import type { Report } from '../runs.js';

/** What a scenario has to show beside distributions and ledger, run by run, as the terminal prints it. */
export function figureLines({ runs, scenario }: Report): Markup[] {
  return runs.flatMap(({ label, result }) => {
    const lines = scenario.figureLines?.(result.metrics, result.ledger, milliseconds, toldOf(result)) ?? [];
    if (lines.length === 0) return [];
    const heading = runs.length > 1 && html`<h3>${label}</h3>`;
    return [
      html`${heading}<pre class="lines" tabindex="0" aria-label="${`Table of ${label}`}">${lines.join('\n')}</pre>`,
    ];
  });
}
