import type { Style } from '../../render/words/style.js';

/** How stdout looks: coloured and folded on a terminal, unless NO_COLOR is set; plain and unfolded elsewhere. */
export function terminalStyle(): Style {
  const { isTTY = false, columns = Number.POSITIVE_INFINITY } = process.stdout;
  return { isColored: isTTY && (process.env.NO_COLOR ?? '') === '', columns };
}
