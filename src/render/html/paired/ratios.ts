import { pairOf } from '../../../measure/statement.js';
import type { KeptPairedRatio, Paired } from '../../../results/paired.js';
import { bySpeed, claimsOf, contenders } from '../../paired/claims.js';
import { percentText, ratioInWords } from '../../paired/words.js';
import { statementWords } from '../../words/statement.js';
import { html, type Markup } from '../document.js';
import { at, between, type PictureRow, picture, roomy, type Scale, stroke } from './picture.js';

/** Ratios beyond this are drawn at the edge. */
const widest = 30;
/** The axis extends at least this far to either side of 1, so that small differences look small. */
const leastReach = 1.25;

/** Draws every target against the fastest, and the control. Returns an empty text if no order is claimed. */
export function ratioPicture(paired: Paired): Markup | '' {
  const { pairs, control } = paired;
  const claims = claimsOf(paired);
  if (!claims) return '';
  const names = bySpeed(
    contenders(paired).map(({ target }) => target),
    pairs,
  );
  const own = names.flatMap((name) => pairOf(pairs, name, claims.reference) ?? []);
  const rows = [...own.map((pair) => rowOf(pair.a, pair)), ...(control ? [controlRow(control)] : [])];
  const inWords = own.map((pair) => `${pair.a} ${ratioInWords(pair)}`).join(', ');
  const label = `Times as long as ${claims.reference}: ${inWords}`;
  return html`<p>How many times as long as <strong>${claims.reference}</strong>, in the same rounds:</p>
<figure class="picture">${ratios(label, rows, [...own, ...(control ? [control] : [])], paired)}
${key(paired)}</figure>
`;
}

/** Draws every pair, including pairs without the fastest target. Returns an empty text without pairs. */
export function pairPicture(paired: Paired): Markup | '' {
  const { control } = paired;
  const pairs = slowerFirst(paired.pairs);
  if (pairs.length === 0) return '';
  const rows = [
    ...pairs.map((pair) => rowOf(`${pair.a} to ${pair.b}`, pair)),
    ...(control ? [controlRow(control)] : []),
  ];
  const drawn = [...pairs, ...(control ? [control] : [])];
  return html`<figure class="picture">${ratios('The ratio of every pair', rows, drawn, paired)}${key(paired)}</figure>`;
}

/** Returns the pairs with the slower target named first. */
export function slowerFirst<P extends Pick<KeptPairedRatio, 'a' | 'b' | 'ratio' | 'interval'>>(
  pairs: readonly P[],
): P[] {
  return pairs.map((pair) => ((pair.ratio ?? 1) < 1 ? (pairOf(pairs, pair.b, pair.a) ?? pair) : pair));
}

/** Draws the control without its conclusion. It is either as expected, or no order is claimed. */
function controlRow(control: KeptPairedRatio): PictureRow {
  return { ...rowOf('', control), name: `${control.a} to its twin`, figures: ratioInWords(control) };
}

function rowOf(name: string, pair: KeptPairedRatio): PictureRow {
  const word = statementWords.differs[pair.holds];
  return {
    name,
    figures: `${ratioInWords(pair)}${pair.holds === 'yes' ? '' : `, ${word}`}`,
    marks: (scale, y) => [
      pair.joint !== null && stroke(scale, pair.joint, y, `joint ${word}`),
      pair.interval !== null && stroke(scale, pair.interval, y, `own ${word}`),
      pair.ratio !== null && html`<circle class="${word}" cx="${at(scale.place(pair.ratio))}" cy="${y}" r="6"/>`,
    ],
  };
}

function ratios(
  label: string,
  rows: readonly PictureRow[],
  pairs: readonly KeptPairedRatio[],
  { equalWithin }: Paired,
): Markup {
  const margin = 1 + equalWithin;
  const scale = scaleOf([...pairs.flatMap(({ joint }) => joint ?? []), leastReach, 1 / leastReach]);
  const [from, to] = [scale.place(1 / margin), scale.place(margin)];
  const band = (height: number): Markup =>
    html`<rect class="within" x="${at(from)}" width="${between(from, to)}" y="0" height="${height}"/>
`;
  return picture(label, rows, scale, band);
}

/** Returns a logarithmic axis, so that twice and half the time are equally far from 1. */
function scaleOf(values: readonly number[]): Scale {
  const known = values.filter((value) => value > 0 && Number.isFinite(value));
  const low = Math.log(Math.max(1 / widest, Math.min(...known)));
  const high = Math.log(Math.min(widest, Math.max(...known)));
  const place = (value: number): number => (Math.log(value) - low) / (high - low);
  const steps = [1, 2, 0.5, 1.5, 3, 1.25, 0.75, 5, 0.3, 1.1, 0.9, 10, 0.2, 0.1, 20, 1.75, 2.5, 4];
  return {
    place,
    zero: 1,
    ticks: roomy(
      place,
      steps.map((value) => ({ value, text: `${value}×` })),
    ),
  };
}

const key = ({ equalWithin }: Paired): Markup => {
  const line = (look: string): Markup =>
    html`<svg width="34" height="14" aria-hidden="true"><line class="${look}" x1="1" x2="33" y1="7" y2="7"/></svg>`;
  const dot = (look: string): Markup =>
    html`<svg width="14" height="14" aria-hidden="true"><circle class="${look}" cx="7" cy="7" r="6"/></svg>`;
  return html`<ul class="key">
<li>${dot('apart')} told apart</li><li>${dot('equal')} equal</li><li>${dot('open')} open</li>
<li>${line('own apart')} 95 % over starts</li>
<li>${line('joint apart')} holds for all pairs at once; what is stated stands on it</li>
<li><svg width="14" height="14" aria-hidden="true"><rect class="within" width="14" height="14"/></svg>
equal within ${percentText(equalWithin)}</li></ul>`;
};
