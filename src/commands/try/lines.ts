import { paint, type Style } from '../../render/words/table.js';
import type { Happening, StepOutcome } from '../../worker/trial/trial.js';

/** Limit of the characters shown of a message. */
const mostCharacters = 200;

/** Renders a message with its time, direction, kind, size, content and line, or a step that was reached. */
export function happeningText(happening: Happening, style: Style): string {
  const { title, aside } = paint(style);
  const place = `${happening.atMs.toFixed(1).padStart(8)} ms  client ${happening.client}`;
  const by = happening.line === undefined ? '' : `  ${aside(shown(happening.line))}`;
  if ('step' in happening) return `${aside(place)}    ${title(shown(happening.step))}${by}`;
  const { isSent, isBinary, size, content } = happening;
  const kind = `${isBinary ? 'binary' : 'text'}, ${size} B`;
  return `${aside(place)}  ${isSent ? '→' : '←'} ${aside(kind)}  ${shown(content)}${by}`;
}

/** Renders a line for each step: whether it was reached, and what was missing. */
export function outcomesText(outcomes: readonly StepOutcome[], style: Style): string {
  const { good, bad } = paint(style);
  const lines = outcomes.map(({ step, why }) =>
    why === undefined ? `${good('✓')} ${shown(step)}` : `${bad('✗')} ${shown(step)}: ${shown(why)}`,
  );
  return `\n${lines.join('\n')}`;
}

function shown(text: string): string {
  const cut = text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text;
  return cut.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = (character.codePointAt(0) as number).toString(16);
    return `\\u{${code}}`;
  });
}
