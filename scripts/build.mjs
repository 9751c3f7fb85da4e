import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

/*
 * Compiles to `dist`: every program to one file, and what several share to chunks. `npm run check` looks at the types.
 * It is JavaScript because it makes what Node runs.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
/** Each build has a folder of its own, as each first `npx ringside` in a clone builds, even while another one runs. */
const made = join(root, `dist.${process.pid}`);

/** What Node starts, what a page holds, and what other programs import. The package has none of `scripts`. */
const programs = {
  package: [
    /^src\/(cli|worker)\/main\.ts$/,
    /^src\/render\/html\/script\/\w+\.ts$/,
    /^src\/(results\/public|flow\/index)\.ts$/,
    /^servers\/[\w-]+\/main\.ts$/,
  ],
  scripts: [
    /^scripts\/[\w-]+\.ts$/,
    /^scripts\/bench\/\w+\/(opening-clients|ws-reader|rooms-server|rooms-client)\.ts$/,
  ],
};
/** Paths of all files below a folder, with slashes on Windows, too. */
const filesBelow = (folder) => readdirSync(folder, { recursive: true }).map((path) => path.replaceAll(sep, '/'));
const sources = ['src', 'servers', 'scripts'].flatMap((room) =>
  filesBelow(join(root, room)).map((path) => `${room}/${path}`),
);

const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const packages = new Set(Object.keys({ ...dependencies, ...optionalDependencies }));
// Part of the chunks: its 95 files, most of them texts in other languages, took every process and worker 70 ms of CPU.
packages.delete('zod');
const { resolve } = createRequire(import.meta.url);

/** Begins the id of a module that requires a package. Plugins mark an id that is no file so. */
const required = '\0';

/**
 * Packages stay outside, and those in CommonJS are required: to import one, Node first looks for the names that each of
 * its files exports, which takes every process and worker up to 40 ms of CPU.
 */
const outside = {
  name: 'outside',
  resolveId(name, _importer, { kind }) {
    const package_ = name.split('/', name.startsWith('@') ? 2 : 1).join('/');
    if (!packages.has(package_)) return null;
    if (kind === 'import-statement' && isCommonJs(name, package_)) return `${required}${name}`;
    return { id: name, external: true };
  },
  load: (id) => (id.startsWith(required) ? `module.exports = require('${id.slice(required.length)}');` : null),
};

function isCommonJs(name, package_) {
  const path = resolve(name);
  const { type } = JSON.parse(readFileSync(join(root, 'node_modules', package_, 'package.json'), 'utf8'));
  return path.endsWith('.cjs') || (path.endsWith('.js') && type !== 'module');
}

/** Each of these programs as one file, and what several of them share as chunks. */
async function bundle(kinds, chunks) {
  const paths = sources.filter((path) => kinds.some((kind) => kind.test(path)));
  await build({
    cwd: root,
    input: Object.fromEntries(paths.map((path) => [path.replace(/\.ts$/, ''), path])),
    plugins: [outside],
    platform: 'node',
    onLog(level, log) {
      throw new Error(`${level}: ${log.message}`);
    },
    // A busy machine is no reason to fail.
    checks: { pluginTimings: false },
    // Without the names of the sources, which are a hundredth of the package.
    experimental: { attachDebugInfo: 'none' },
    output: {
      ...{ dir: made, chunkFileNames: `${chunks}/[name].js`, comments: false },
      // Names of functions and classes stay, for stack traces.
      minify: { compress: { keepNames: { function: true, class: true } }, mangle: { keepNames: true } },
    },
  });
}

/** The types of what other programs import, and of all that those name. The compiler writes more of them. */
function writeTypes() {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const types = join(made, 'types');
  const args = ['-p', join(root, '.tsconfig.types.json'), '--outDir', types];
  execFileSync(process.execPath, [compiler, ...args], { stdio: 'inherit' });
  const named = new Set(['src/results/public.d.ts', 'src/flow/index.d.ts']);
  for (const path of named)
    for (const [, target] of readFileSync(join(types, path), 'utf8').matchAll(
      /(?:from|import\() ?['"](\.[^'"]+)\.js['"]/g,
    ))
      named.add(posix.join(posix.dirname(path), `${target}.d.ts`));
  for (const path of filesBelow(types)) if (path.endsWith('.d.ts') && !named.has(path)) rmSync(join(types, path));
  // A third of them would be indentation, and comments on what a program only reaches through others.
  for (const path of named) {
    const text = readFileSync(join(types, path), 'utf8').replace(/^ +(?! ?\*)/gm, '');
    const isReached = /^src\/(contract|measure|units)\//.test(path);
    writeFileSync(join(types, path), isReached ? text.replace(/^\/\*\*[\s\S]*?\*\/\n/gm, '') : text);
  }
}

function filesIn(folder) {
  mkdirSync(folder, { recursive: true });
  const all = readdirSync(folder, { recursive: true, withFileTypes: true });
  return all.filter((each) => each.isFile()).map((each) => relative(folder, join(each.parentPath, each.name)));
}

/** Takes the place of `dist` file by file, so that a program that runs finds its modules at any time. */
function replaceDist() {
  const files = new Set(filesIn(made));
  for (const path of files) {
    mkdirSync(dirname(join(dist, path)), { recursive: true });
    renameSync(join(made, path), join(dist, path));
  }
  for (const path of filesIn(dist)) if (!files.has(path)) rmSync(join(dist, path), { force: true });
}

try {
  await bundle(programs.package, 'chunks');
  await bundle(programs.scripts, 'scripts/chunks');
  writeTypes();
  copyFileSync(join(root, 'node_modules/zod/LICENSE'), join(made, 'chunks/LICENSE-zod'));
  chmodSync(join(made, 'src/cli/main.js'), 0o755);
  replaceDist();
} finally {
  rmSync(made, { recursive: true, force: true });
}
