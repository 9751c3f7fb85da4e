import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isForeignSource } from '../src/targets/needs/filling.js';

const dist = fileURLToPath(new URL('..', import.meta.url));
const sources = fileURLToPath(new URL('../..', import.meta.url));

// The compiler leaves what it once made of other sources and with other options. The package would hold it. A module of
// types alone is empty, and nothing imports it.
for (const path of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
  if (!/\.js(\.map)?$/.test(path)) continue;
  const isMade = path.endsWith('.js') && !path.endsWith('.test.js') && existsSync(sources + path.replace(/js$/, 'ts'));
  if (!isMade || readFileSync(dist + path, 'utf8') === 'export {};\n') rmSync(dist + path);
}

// It writes the types of every module that the public one runs. A program that imports it needs those that it names.
const types = `${dist}types/`;
const named = new Set<string>();
const follow = (path: string): void => {
  if (named.has(path)) return;
  named.add(path);
  for (const [, target = ''] of readFileSync(types + path, 'utf8').matchAll(
    /(?:from|import\() ?['"](\.[^'"]+)\.js['"]/g,
  ))
    follow(join(dirname(path), `${target}.d.ts`));
};
follow('src/results/public.d.ts');
for (const path of readdirSync(types, { recursive: true, encoding: 'utf8' }))
  if (path.endsWith('.d.ts') && !named.has(path)) rmSync(types + path);

// The compiler drops the executable bit that a `bin` needs in a checkout.
chmodSync(`${dist}src/cli/main.js`, 0o755);

// Servers in other languages, and what `ringside install` installs, lie beside the scripts that Node runs.
for (const entry of readdirSync(`${dist}servers`, { recursive: true, withFileTypes: true }))
  if (entry.isFile() && !entry.name.endsWith('.js')) rmSync(join(entry.parentPath, entry.name));
cpSync(`${sources}servers`, `${dist}servers`, {
  recursive: true,
  filter: (path) => isForeignSource(path.slice(sources.length)),
});
