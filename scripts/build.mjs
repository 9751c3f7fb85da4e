import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

/*
 * Compiles to `dist`: every program to one file, and what several share to chunks. `npm run check` looks at the types.
 * It is JavaScript because it makes what Node runs.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');

/** What Node starts, what a page holds, and what other programs import. The package has none of `scripts`. */
const programs = {
  package: [
    /^src\/(cli|worker)\/main\.ts$/,
    /^src\/render\/html\/script\/\w+\.ts$/,
    /^src\/results\/public\.ts$/,
    /^servers\/(?!siblings)[\w-]+\/(main|sibling)\.ts$/,
  ],
  scripts: [/^scripts\/[\w-]+\.ts$/, /^scripts\/[\w-]+\/processes\/[\w-]+-(child|main)\.ts$/, /\/ws-reader\.ts$/],
};
const sources = ['src', 'servers', 'scripts'].flatMap((room) =>
  readdirSync(join(root, room), { recursive: true }).map((path) => join(room, path)),
);

const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const packages = new Set(Object.keys({ ...dependencies, ...optionalDependencies }));

/** Each of these programs as one file, and what several of them share as chunks. Packages stay outside. */
async function bundle(kinds, chunks) {
  const paths = sources.filter((path) => kinds.some((kind) => kind.test(path)));
  await build({
    cwd: root,
    input: Object.fromEntries(paths.map((path) => [path.replace(/\.ts$/, ''), path])),
    external: (name) => packages.has(name.split('/', name.startsWith('@') ? 2 : 1).join('/')),
    platform: 'node',
    onLog(level, log) {
      throw new Error(`${level}: ${log.message}`);
    },
    output: { dir: dist, chunkFileNames: `${chunks}/[name].js`, comments: false },
  });
}

/** The types of what other programs import, and of all that those name. The compiler writes more of them. */
function writeTypes() {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', join(root, '.tsconfig.types.json')], { stdio: 'inherit' });
  const types = join(dist, 'types');
  const named = new Set(['src/results/public.d.ts']);
  for (const path of named)
    for (const [, target] of readFileSync(join(types, path), 'utf8').matchAll(
      /(?:from|import\() ?['"](\.[^'"]+)\.js['"]/g,
    ))
      named.add(join(dirname(path), `${target}.d.ts`));
  for (const path of readdirSync(types, { recursive: true }))
    if (path.endsWith('.d.ts') && !named.has(path)) rmSync(join(types, path));
}

rmSync(dist, { recursive: true, force: true });
await bundle(programs.package, 'chunks');
await bundle(programs.scripts, 'scripts/chunks');
writeTypes();
chmodSync(join(dist, 'src/cli/main.js'), 0o755);
