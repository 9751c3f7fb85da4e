import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const top = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Words that no exported name has: each had several meanings or none. `docs/glossary.md` has those to use. */
const retired = ['told', 'tell', 'deed', 'dealt', 'deal', 'sight', 'board', 'party', 'doubt', 'seat', 'hundred'];
const isRetired = new Set([...retired, ...retired.map((word) => `${word}s`), 'looks', 'promise', 'phase', 'course']);

/** Names that a folder of parts shares by agreement: one for each part. */
const agreed = new Set(['command', 'scenario']);

interface Export {
  name: string;
  file: string;
}

const exported: Export[] = ['src', 'servers', 'scripts'].flatMap((room) =>
  readdirSync(join(top, room), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.includes('node_modules'))
    .flatMap((path) => {
      const text = readFileSync(join(top, room, path), 'utf8');
      const names = text.matchAll(/^export (?:async )?(?:function\*?|class|interface|type|const) ([\w$]+)/gm);
      return [...new Set([...names].map((match) => match[1] as string))].map((name) => ({ name, file: path }));
    }),
);

describe('exported names', () => {
  it('have no retired word', () => {
    expect(exported.length).toBeGreaterThan(1000);
    const wordsOf = (name: string) =>
      name
        .replace(/([a-z\d])([A-Z])/g, '$1 $2')
        .toLowerCase()
        .split(/[ _]/);
    expect(exported.filter(({ name }) => wordsOf(name).some((word) => isRetired.has(word)))).toEqual([]);
  });

  it('exist once, but for at most 15', () => {
    const times = new Map<string, number>();
    for (const { name } of exported) times.set(name, (times.get(name) ?? 0) + 1);
    const shared = [...times].filter(([name, count]) => count > 1 && !agreed.has(name)).map(([name]) => name);
    expect(shared.length, shared.join(', ')).toBeLessThanOrEqual(15);
  });
});
