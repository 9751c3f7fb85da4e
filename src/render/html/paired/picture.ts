import { html, type Markup } from '../markup.js';

/** A horizontal axis: where a value lies, as a share of the width, and the values that are named. */
export interface Scale {
  place(value: number): number;
  /** The value that all others are read against. */
  zero: number;
  ticks: readonly { value: number; text: string }[];
}

/** One row of a picture: its name, its figures in words, and what is drawn at a height in pixels. */
export interface Row {
  name: string;
  figures: string;
  marks(scale: Scale, y: number): readonly (Markup | false)[];
}

const rowPx = 52;
const stripPx = 30;
const axisPx = 24;
/** The ends of the axis, where half a tick’s text needs room. */
const margin = 0.03;

/** A place on the axis as SVG takes it, so that a picture needs no script at any width. */
export function at(share: number): string {
  return `${(100 * (margin + (1 - 2 * margin) * Math.min(1, Math.max(0, share)))).toFixed(2)}%`;
}

/** The width between two places on the axis. */
export function between(from: number, to: number): string {
  const clamped = (share: number): number => Math.min(1, Math.max(0, share));
  return `${(100 * (1 - 2 * margin) * (clamped(to) - clamped(from))).toFixed(2)}%`;
}

/** A line from one value to another. */
export function stroke(scale: Scale, [low, high]: readonly [number, number], y: number, look: string): Markup {
  return html`<line class="${look}" x1="${at(scale.place(low))}" x2="${at(scale.place(high))}" y1="${y}" y2="${y}"/>`;
}

/** Rows over one axis; `behind` lies under all of them. Texts keep their size at any width. */
export function picture(
  label: string,
  rows: readonly Row[],
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

/** The candidates that lie on the axis with room for their text, ascending; earlier ones come first. */
export function roomy(place: Scale['place'], candidates: readonly { value: number; text: string }[]): Scale['ticks'] {
  const room = 0.12;
  const kept: { value: number; text: string }[] = [];
  for (const tick of candidates) {
    const share = place(tick.value);
    const isInside = share >= 0 && share <= 1;
    if (isInside && kept.every((other) => Math.abs(place(other.value) - share) >= room)) kept.push(tick);
  }
  return kept.toSorted((one, other) => one.value - other.value);
}
