import type { Style } from '../../render/words/style.js';

/** How stdout is to look: on a terminal as wide as that is and in colour, unless NO_COLOR is set; into a file or a pipe plain and as wide as it gets. */
export function terminalStyle(): Style {
  const { isTTY = false, columns = Number.POSITIVE_INFINITY } = process.stdout;
  return { isColored: isTTY && (process.env.NO_COLOR ?? '') === '', columns };
}
