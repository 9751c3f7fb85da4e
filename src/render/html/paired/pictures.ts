import type { Declaration } from '../../../measure/declaration.js';
import { pairOf } from '../../../measure/statement.js';
import type { KeptPairedRatio, Paired, PairedTarget } from '../../../results/paired.js';
import { bySpeed, claimsOf, contenders, percentText, ratioInWords } from '../../paired/claims.js';
import { bracketInWords, medianColumn } from '../../paired/table.js';
import { statementWords } from '../../words/statement.js';
import { milliseconds } from '../../words/values.js';
import { html, type Markup } from '../markup.js';

/** Describes a horizontal axis: the place of a value as a share of the width, and the labelled values. */
interface Scale {
  place(value: number): number;
  zero: number;
  ticks: readonly { value: number; text: string }[];
}

/** Describes one row of a picture: its name, its figures in words, and the marks at a height in pixels. */
interface PictureRow {
  name: string;
  figures: string;
  marks(scale: Scale, y: number): readonly (Markup | false)[];
}

const rowPx = 52;
const stripPx = 30;
const axisPx = 24;
/** Margin at the ends of the axis, where half a tick’s text needs room. */
const margin = 0.03;

/** Formats a place on the axis for SVG, so that a picture needs no script at any width. */
function at(share: number): string {
  return `${(100 * (margin + (1 - 2 * margin) * Math.min(1, Math.max(0, share)))).toFixed(2)}%`;
}

function between(from: number, to: number): string {
  const clamped = (share: number): number => Math.min(1, Math.max(0, share));
  return `${(100 * (1 - 2 * margin) * (clamped(to) - clamped(from))).toFixed(2)}%`;
}

function stroke(scale: Scale, [low, high]: readonly [number, number], y: number, look: string): Markup {
  return html`<line class="${look}" x1="${at(scale.place(low))}" x2="${at(scale.place(high))}" y1="${y}" y2="${y}"/>`;
}

/** Draws rows over one axis. `behind` lies under all of them. Texts keep their size at any width. */
function picture(
  label: string,
  rows: readonly PictureRow[],
  scale: Scale,
  behind: (heightPx: number) => Markup | false = () => false,
): Markup {
  const bottomPx = rows.length * rowPx + 4;
  const grid = scale.ticks.map(({ value, text }) => {
    const x = at(scale.place(value));
    return html`<line class="${value === scale.zero ? 'zero' : 'grid'}" x1="${x}" x2="${x}" y1="0" y2="${bottomPx}"/>
<text class="tick" x="${x}" y="${bottomPx + 16}" text-anchor="middle">${text}</text>
`;
  });
  const drawn = rows.map(
    ({ name, figures, marks }, index) => html`<text x="0" y="${index * rowPx + 16}">${name}</text>
<text class="figures" x="100%" y="${index * rowPx + 16}" text-anchor="end">${figures}</text>
${marks(scale, index * rowPx + stripPx)}
`,
  );
  return html`<svg role="img" aria-label="${label}" width="100%" height="${bottomPx + axisPx}">
${behind(bottomPx)}${grid}${drawn}</svg>
`;
}

/** Returns the candidates on the axis that have room for their text, ascending. Earlier ones take precedence. */
function roomy(place: Scale['place'], candidates: readonly { value: number; text: string }[]): Scale['ticks'] {
  const room = 0.12;
  const kept: { value: number; text: string }[] = [];
  for (const tick of candidates) {
    const share = place(tick.value);
    const isInside = share >= 0 && share <= 1;
    if (isInside && kept.every((other) => Math.abs(place(other.value) - share) >= room)) kept.push(tick);
  }
  return kept.toSorted((one, other) => one.value - other.value);
}

/** Draws the median of each target with its bracket, and the tail. Returns an empty text without a median. */
export function latencyPicture(paired: Paired, scenario: Declaration): Markup | '' {
  const targets = contenders(paired);
  const sorted = bySpeed(paired).flatMap((name) => targets.find(({ target }) => target === name) ?? []);
  const mostUs = Math.max(...sorted.flatMap(({ p50Us, tail }) => [p50Us ?? 0, tail?.us ?? 0]));
  if (!(mostUs > 0)) return '';
  const column = medianColumn(scenario);
  const name = `${column?.metric} ${column?.title}`;
  const tail = sorted.find((each) => each.tail !== null)?.tail?.figure;
  const rows = sorted.map((target) => latencyRow(target));
  const dot = sample(html`<circle class="tail" cx="17" cy="7" r="5"/>`);
  const label = `${name}, ms: ${rows.map((row) => `${row.name} ${row.figures}`).join(', ')}`;
  return html`<p>${name} in milliseconds, over all starts. The target’s own median lies in the bar:
the load generator may have added the rest.</p>
<figure class="picture">${picture(label, rows, latencyScale(mostUs))}
<ul class="key"><li>${sample(html`<rect class="bracket" x="1" width="32" y="2" height="10"/>`)} between the bounds</li>
<li>${sample(html`<rect class="median" x="15" width="4" y="0" height="14"/>`)} as measured</li>
${tail !== undefined && html`<li>${dot} ${tail}, as measured</li>`}
</ul></figure>
`;
}

function latencyRow(target: PairedTarget): PictureRow {
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

function sample(mark: Markup, widthPx = 34): Markup {
  return html`<svg width="${widthPx}" height="14" aria-hidden="true">${mark}</svg>`;
}

/** Returns an axis from zero, so that lengths are proportional to times. */
function latencyScale(mostUs: number): Scale {
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

/** Ratios beyond this are drawn at the edge. */
const widest = 30;
/** The axis extends at least this far to either side of 1, so that small differences look small. */
const leastReach = 1.25;

/** Draws every target against the fastest, and the control. Returns an empty text if no order is claimed. */
export function ratioPicture(paired: Paired): Markup | '' {
  const claims = claimsOf(paired);
  if (!claims) return '';
  const { reference } = claims;
  const own = bySpeed(paired).flatMap((name) => pairOf(paired.pairs, name, reference) ?? []);
  const inWords = own.map((pair) => `${pair.a} ${ratioInWords(pair)}`).join(', ');
  return html`<p>How many times as long as <strong>${reference}</strong>, in the same rounds:</p>
${ratios(`Times as long as ${reference}: ${inWords}`, own, ({ a }) => a, paired)}`;
}

/** Draws every pair, including pairs without the fastest target. Returns an empty text without pairs. */
export function pairPicture(paired: Paired): Markup | '' {
  const pairs = slowerFirst(paired.pairs);
  return pairs.length > 0 ? ratios('The ratio of every pair', pairs, ({ a, b }) => `${a} to ${b}`, paired) : '';
}

export function slowerFirst<P extends Pick<KeptPairedRatio, 'a' | 'b' | 'ratio' | 'interval'>>(
  pairs: readonly P[],
): P[] {
  return pairs.map((pair) => ((pair.ratio ?? 1) < 1 ? (pairOf(pairs, pair.b, pair.a) ?? pair) : pair));
}

function ratioRow(name: string, pair: KeptPairedRatio): PictureRow {
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
  pairs: readonly KeptPairedRatio[],
  nameOf: (pair: KeptPairedRatio) => string,
  { control, equalWithin }: Paired,
): Markup {
  // The control has no conclusion: it is either as expected, or no order is claimed.
  const twin = control && { ...ratioRow(`${control.a} to its twin`, control), figures: ratioInWords(control) };
  const rows = [...pairs.map((pair) => ratioRow(nameOf(pair), pair)), ...(twin ? [twin] : [])];
  const drawn = control ? [...pairs, control] : pairs;
  const scale = ratioScale([...drawn.flatMap(({ joint }) => joint ?? []), leastReach, 1 / leastReach]);
  const [from, to] = [scale.place(1 / (1 + equalWithin)), scale.place(1 + equalWithin)];
  const band = (height: number): Markup =>
    html`<rect class="within" x="${at(from)}" width="${between(from, to)}" y="0" height="${height}"/>
`;
  return html`<figure class="picture">${picture(label, rows, scale, band)}${ratioKey(equalWithin)}</figure>
`;
}

/** Returns a logarithmic axis, so that twice and half the time are equally far from 1. */
function ratioScale(values: readonly number[]): Scale {
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

function ratioKey(equalWithin: number): Markup {
  const line = (look: string): Markup => sample(html`<line class="${look}" x1="1" x2="33" y1="7" y2="7"/>`);
  const dot = (look: string): Markup => sample(html`<circle class="${look}" cx="7" cy="7" r="6"/>`, 14);
  return html`<ul class="key">
<li>${dot('apart')} told apart</li><li>${dot('equal')} equal</li><li>${dot('open')} open</li>
<li>${line('own apart')} 95 % over starts</li>
<li>${line('joint apart')} holds for all pairs at once; what is stated stands on it</li>
<li>${sample(html`<rect class="within" width="14" height="14"/>`, 14)} equal within ${percentText(equalWithin)}</li>
</ul>`;
}
