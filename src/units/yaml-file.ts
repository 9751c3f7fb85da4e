import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

/** What a text of YAML or JSON holds. Loads the parser only now: it takes 30 ms of CPU. Throws for any other text. */
export function parseYaml(text: string): unknown {
  const { parse } = load('yaml') as typeof import('yaml');
  return parse(text);
}

/** What a file of YAML or JSON holds. Throws for any other file. */
export function readYaml(path: string): unknown {
  return parseYaml(readFileSync(path, 'utf8'));
}

/** A value as YAML. */
export function yamlText(value: object): string {
  const { stringify } = load('yaml') as typeof import('yaml');
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** Whether a value of a file has keys. */
export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
