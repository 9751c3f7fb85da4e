import type { Style } from '../report/style.js';

/** How stdout is to look: colour on a terminal unless NO_COLOR is set, and as wide as it is. */
export function terminalStyle(): Style {
  const { isTTY = false, columns = 120 } = process.stdout;
  return { isColored: isTTY && (process.env.NO_COLOR ?? '') === '', columns };
}
