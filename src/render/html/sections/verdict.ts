import { stopReasons } from '../../../contract/stop-reasons.js';
import type { Declaration } from '../../../measure/declaration.js';
import type { RunResult } from '../../../results/result.js';
import { count, shareOf } from '../../../units/words.js';
import { doubtTexts } from '../../words/doubts.js';
import { milliseconds } from '../../words/figures.js';
import { networkInWords } from '../../words/network.js';
import { loadInWords } from '../../words/rig-load.js';
import { saidInWords, saidOf } from '../../words/verdict-words.js';
import { html, type Markup } from '../markup.js';
import type { ReportRun } from '../runs.js';

const marks = { clean: '✓', short: '!', limited: '!', void: '✗' } as const;
const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

/** What may be believed of a run's numbers: verdict with evidence, what stopped it, and its promises. */
export function verdictCard({ label, result }: ReportRun, scenario: Declaration, isSole: boolean): Markup {
  const { verdict, stop } = result;
  const said = saidOf(result);
  return html`<div class="verdict ${said}">
${isSole ? '' : html`<h3>${label}</h3>`}
<p class="says"><span class="mark" aria-hidden="true">${marks[said]}</span> ${sentence(saidInWords[said])}</p>
${verdict.evidence.length > 0 ? html`<ul>${verdict.evidence.map(({ rule, text }) => html`<li><a href="#rule-${rule}"><code>${rule}</code></a> ${text}</li>`)}</ul>` : ''}
<p>Stopped by: <strong>${stopReasons[stop.code].title}</strong>${stop.evidence.length > 0 ? `: ${stop.evidence.join('; ')}` : ''}. <span class="aside">${stopReasons[stop.code].means}.</span>${stop.advice === undefined ? '' : html` ${stop.advice}`}</p>
${network(result)}
${doubtTexts(verdict).map((text) => html`<p class="doubtful">${text}</p>`)}
${(scenario.notes?.(result.job.options) ?? []).map((text) => html`<p class="doubtful">${text}</p>`)}
${trust(result)}
${promises(result)}
</div>
`;
}

/** What the network lost, where it lost anything. */
function network(result: RunResult): Markup | string {
  const words = networkInWords(result);
  return words === '' ? '' : html`<p class="aside">Network: ${words}.</p>`;
}

function trust({ environment: { trust: found } }: RunResult): Markup | string {
  if (!found) return '';
  const at = found.load ? loadInWords(found.load) : '';
  const off = `p99 off by ${milliseconds(Math.abs(found.p99ErrorUs ?? 0))} ms`;
  const words = {
    inside: `This machine’s rig was held against known truth and right at ${at} (${off}).`,
    beyond: `This machine’s rig was wrong at ${at} already (${off}).`,
    untried: 'This machine’s rig was calibrated, at no load as hard as this one of its protocol.',
    uncalibrated: 'This machine’s rig was never held against known truth (ringside calibrate).',
  }[found.place];
  return html`<p class="${found.place === 'beyond' ? 'doubtful' : 'aside'}">${words}</p>`;
}

function promises({ thresholds }: RunResult): Markup | string {
  if (thresholds.length === 0) return '';
  const say = { figure: (us: number) => `${milliseconds(us)} ms`, count, share: (share: number) => shareOf(share, 1) };
  return html`<ul class="promises" aria-label="Thresholds">${thresholds.map(({ text, kind, value, isKept }) => {
    const was =
      value === null
        ? 'no figure: too few samples, or too many that took longer than the run'
        : html`<data value="${value}">${say[kind](value)}</data>`;
    return html`<li class="${isKept ? 'kept' : 'broken'}"><span aria-hidden="true">${isKept ? '✓' : '✗'}</span> ${isKept ? 'kept' : 'broken'}: <code>${text}</code> (${was})</li>`;
  })}</ul>`;
}
