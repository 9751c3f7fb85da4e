import type { Declaration } from '../../../measure/declaration.js';
import type { Paired, PairedTarget } from '../../../results/paired.js';
import { bySpeed, contenders } from '../../paired/claims.js';
import { bracketInWords } from '../../paired/table.js';
import { medianColumn } from '../../paired/words.js';
import { milliseconds } from '../../words/figures.js';
import { html, type Markup } from '../markup.js';
import { at, between, picture, type Row, roomy, type Scale } from './picture.js';

/** The median of each target with its bracket, and the tail; empty without a median. */
export function latencyPicture(paired: Paired, scenario: Declaration): Markup | '' {
  const targets = contenders(paired);
  const names = bySpeed(
    targets.map(({ target }) => target),
    paired.pairs,
  );
  const sorted = names.flatMap((name) => targets.find(({ target }) => target === name) ?? []);
  const mostUs = Math.max(...sorted.flatMap(({ p50Us, tail }) => [p50Us ?? 0, tail?.us ?? 0]));
  if (!(mostUs > 0)) return '';
  const column = medianColumn(scenario);
  const name = `${column?.metric} ${column?.title}`;
  const tail = sorted.find((each) => each.tail !== null)?.tail?.figure;
  const rows = sorted.map((target) => rowOf(target));
  const dot = sample(html`<circle class="tail" cx="17" cy="7" r="5"/>`);
  const label = `${name}, ms: ${rows.map((row) => `${row.name} ${row.figures}`).join(', ')}`;
  return html`<p>${name} in milliseconds, over all starts. The target’s own median lies in the bar:
the rig may have added the rest.</p>
<figure class="picture">${picture(label, rows, scaleOf(mostUs))}
<ul class="key"><li>${sample(html`<rect class="bracket" x="1" width="32" y="2" height="10"/>`)} between the bounds</li>
<li>${sample(html`<rect class="median" x="15" width="4" y="0" height="14"/>`)} as measured</li>
${tail !== undefined && html`<li>${dot} ${tail}, as measured</li>`}
</ul></figure>
`;
}

function rowOf(target: PairedTarget): Row {
  const { p50Us, p50AtLeastUs, tail } = target;
  const bracket = bracketInWords(target);
  return {
    name: target.target,
    figures: `${milliseconds(p50Us)}${bracket}${tail ? ` · ${tail.figure} ${milliseconds(tail.us)}` : ''}`,
    marks: (scale, y) => {
      if (p50Us === null) return [];
      const [from, to] = [scale.place(p50AtLeastUs ?? p50Us), scale.place(p50Us)];
      const end = tail && at(scale.place(tail.us));
      return [
        tail !== null && html`<line class="reach" x1="${at(to)}" x2="${end}" y1="${y}" y2="${y}"/>`,
        html`<rect class="bracket" x="${at(from)}" width="${between(from, to)}" y="${y - 6}" height="12"/>`,
        html`<line class="median" x1="${at(to)}" x2="${at(to)}" y1="${y - 8}" y2="${y + 8}"/>`,
        tail !== null && html`<circle class="tail" cx="${end}" cy="${y}" r="5"/>`,
      ];
    },
  };
}

function sample(mark: Markup): Markup {
  return html`<svg width="34" height="14" aria-hidden="true">${mark}</svg>`;
}

/** From zero, so that lengths compare as the times do. */
function scaleOf(mostUs: number): Scale {
  const place = (us: number): number => us / mostUs;
  const raw = mostUs / 5;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((each) => each * power >= raw) ?? 10);
  const values = Array.from({ length: Math.floor(mostUs / step) + 1 }, (_, n) => n * step);
  return {
    place,
    zero: 0,
    ticks: roomy(
      place,
      values.map((value) => ({ value, text: `${Number((value / 1000).toPrecision(4))}` })),
    ),
  };
}
