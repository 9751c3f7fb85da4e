import pc from 'picocolors';

export interface Style {
  isColored: boolean;
  columns: number;
}

/** Colours by what they say; plain text where the style has none. */
export function paint({ isColored }: Style) {
  const colors = pc.createColors(isColored);
  return {
    title: colors.bold,
    aside: colors.dim,
    good: colors.green,
    doubtful: (text: string) => colors.bold(colors.yellow(text)),
    bad: (text: string) => colors.bold(colors.red(text)),
  };
}
