import { paint, type Style } from '../../render/words/style.js';
import type { Happening, Outcome } from '../../worker/trial/trial.js';

/** The most characters shown of a message. */
const mostCharacters = 200;

/** A line for a message with its time, direction, kind, size and content; or for a step that was reached. */
export function happeningText(happening: Happening, style: Style): string {
  const { title, aside } = paint(style);
  const place = `${happening.atMs.toFixed(1).padStart(8)} ms  client ${happening.client}`;
  if ('step' in happening) return `${aside(place)}    ${title(happening.step)}`;
  const { isSent, isBinary, size, content } = happening;
  const kind = `${isBinary ? 'binary' : 'text'}, ${size} B`;
  return `${aside(place)}  ${isSent ? '→' : '←'} ${aside(kind)}  ${shown(content)}`;
}

/** A line for each step: whether it was reached, and what was missing. */
export function outcomesText(outcomes: readonly Outcome[], style: Style): string {
  const { good, bad } = paint(style);
  const lines = outcomes.map(({ step, why }) =>
    why === undefined ? `${good('✓')} ${step}` : `${bad('✗')} ${step}: ${shown(why)}`,
  );
  return `\n${lines.join('\n')}`;
}

/** One line of a text of others, in which control characters are visible. */
function shown(text: string): string {
  const cut = text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text;
  return cut.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = (character.codePointAt(0) as number).toString(16);
    return `\\u{${code}}`;
  });
}
