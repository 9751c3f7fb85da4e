import { outsideText } from '../../units/outside-text.js';

/** One line of a Prometheus page. */
export interface MetricSample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const label = String.raw`([a-zA-Z_][a-zA-Z0-9_]*)[ \t]*=[ \t]*"((?:[^"\\]|\\[\\"n])*)"[ \t]*`;
const labelPattern = new RegExp(label, 'g');
const name = '([a-zA-Z_:][a-zA-Z0-9_:]*)(?![a-zA-Z0-9_:])';
const labels = String.raw`\{[ \t]*((?:${label}(?:,[ \t]*|(?=\})))*)\}`;
const value = String.raw`(NaN|[+-]?Inf|[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)`;
// A timestamp behind the value is of the target's clock, and ignored.
const linePattern = new RegExp(String.raw`^${name}[ \t]*(?:${labels}[ \t]*)?${value}(?:[ \t]+-?\d+)?$`);

/**
 * Reads the text exposition format 0.0.4 of Prometheus, without comments. Throws for a wrong line, with its number, and
 * for a last line without an end, which could hold a cut number.
 */
export function parseExposition(text: string): MetricSample[] {
  const lines = text.split('\n');
  if (lines.pop() !== '') throw new Error('the page of metrics breaks off in the middle of a line');
  return lines.flatMap((line, index) => {
    const trimmed = line.trim();
    return trimmed === '' || trimmed.startsWith('#') ? [] : sampleOf(trimmed, index + 1);
  });
}

function sampleOf(line: string, number: number): MetricSample {
  const parts = linePattern.exec(line);
  if (parts === null) throw new Error(`line ${number} of the metrics can't be read: ${outsideText(line)}`);
  const [, name = '', pairs = ''] = parts;
  const labels: Record<string, string> = Object.create(null);
  for (const [, key = '', value = ''] of pairs.matchAll(labelPattern))
    labels[key] = value.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
  return { name, labels, value: Number(parts.at(-1)?.replace('Inf', 'Infinity')) };
}
