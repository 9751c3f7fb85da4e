import { parseDecimal, type Unit } from './unit.js';

function parse(text: string): number | undefined {
  const [, percent] = /^(.*\S)\s*%$/.exec(text.trim()) ?? [];
  return percent === undefined ? undefined : parseDecimal(`${percent}e-2`);
}

/** The shortest percentage from which `parse` gives exactly `value`. */
function print(value: number): string {
  for (let digits = 1; digits < 17; digits++) {
    const text = `${Number((value * 100).toPrecision(digits))}%`;
    if (parse(text) === value) return text;
  }
  return `${value * 100}%`;
}

/** A part of a whole as a percentage: `5%` is 0.05. */
export const share: Unit = {
  placeholder: 'percent',
  parse,
  print,
  expected: 'a percentage such as 5%',
};
