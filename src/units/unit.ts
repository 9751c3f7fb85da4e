/** A kind of quantity as users write it. `parse(print(x))` is `x` for every value that `parse` can give. */
export interface Unit {
  name: string;
  /** Stands for a value in help: `--hold <duration>`. */
  placeholder: string;
  /** The value of a text, or undefined where the text is none of this unit. */
  parse(text: string): number | undefined;
  /** The shortest text with one suffix that gives exactly `value` back. */
  print(value: number): string;
  /** What a wrong text should have been, for error messages. */
  expected: string;
}
