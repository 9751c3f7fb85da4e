/** A kind of quantity as users write it. `parse(print(x))` is `x` for every parsed value. */
export interface Unit {
  name: string;
  /** For help: `--hold <duration>`. */
  placeholder: string;
  /** Undefined for a text that is not of this unit. */
  parse(text: string): number | undefined;
  /** The shortest text with one suffix that gives exactly `value` back. */
  print(value: number): string;
  expected: string;
}
