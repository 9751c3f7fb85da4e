import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

/** Parses YAML or JSON. Loads the parser on first use, in 30 ms of CPU. Throws for any other text. */
export function parseYaml(text: string): unknown {
  const { parse } = load('yaml') as typeof import('yaml');
  return parse(text);
}

/** Reads a file of YAML or JSON. Throws for any other file. */
export function readYaml(path: string): unknown {
  return parseYaml(readFileSync(path, 'utf8'));
}

/** Returns the line of a text of YAML or JSON where the value at that path begins, or that of its last parent. */
export function lineOf(text: string, path: readonly (string | number)[]): number {
  const { LineCounter, isNode, parseDocument } = load('yaml') as typeof import('yaml');
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const nodes = path.map((_, at) => document.getIn(path.slice(0, at + 1), true)).filter(isNode);
  return lines.linePos(nodes.at(-1)?.range?.[0] ?? 0).line;
}

export function yamlText(value: object): string {
  const { stringify } = load('yaml') as typeof import('yaml');
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
