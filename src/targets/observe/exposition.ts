import { outsideText } from '../../units/outside-text.js';

/** One line of a Prometheus page. */
export interface MetricSample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const namePattern = /[a-zA-Z_:][a-zA-Z0-9_:]*/y;
const labelPattern = /[ \t]*([a-zA-Z_][a-zA-Z0-9_]*)[ \t]*=[ \t]*"((?:[^"\\]|\\[\\"n])*)"[ \t]*/y;
// The timestamp is of the target's clock, and is read over.
const valuePattern = /[ \t]*(NaN|[+-]?Inf|[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?:[ \t]+-?\d+)?[ \t]*$/y;

/**
 * Reads the text exposition format 0.0.4 of Prometheus; comments, HELP and TYPE are passed over. Throws, naming the line, at anything else, and where
 * the last line has no end: a page that was cut off could hold a cut number.
 */
export function parseExposition(text: string): MetricSample[] {
  const lines = text.split('\n');
  if (lines.pop() !== '') throw new Error('the page of metrics breaks off in the middle of a line');
  return lines.flatMap((line, index) => {
    const trimmed = line.trim();
    return trimmed === '' || trimmed.startsWith('#') ? [] : new LineReader(trimmed, index + 1).sample();
  });
}

class LineReader {
  readonly #line: string;
  readonly #number: number;
  #at = 0;

  constructor(line: string, number: number) {
    this.#line = line;
    this.#number = number;
  }

  sample(): MetricSample {
    const name = this.#take(namePattern)[0];
    const labels = this.#labels();
    return { name, labels, value: numberOf(this.#take(valuePattern)[1]!) };
  }

  #labels(): Record<string, string> {
    const labels: Record<string, string> = Object.create(null);
    if (!this.#skip(/[ \t]*\{[ \t]*/y)) return labels;
    while (!this.#skip(/\}/y)) {
      const [, label = '', value = ''] = this.#take(labelPattern);
      labels[label] = value.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
      if (!this.#skip(/,[ \t]*/y) && this.#line[this.#at] !== '}') this.#refuse();
    }
    return labels;
  }

  #skip(pattern: RegExp): boolean {
    return this.#match(pattern) !== null;
  }

  #take(pattern: RegExp): RegExpExecArray {
    return this.#match(pattern) ?? this.#refuse();
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#line);
    if (match !== null) this.#at = pattern.lastIndex;
    return match;
  }

  #refuse(): never {
    throw new Error(`line ${this.#number} of the metrics can't be read: ${outsideText(this.#line)}`);
  }
}

function numberOf(text: string): number {
  return text.endsWith('Inf') ? Number(text.replace('Inf', 'Infinity')) : Number(text);
}
