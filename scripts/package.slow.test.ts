import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { publint } from 'publint';
import { afterAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'ringside-package-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Packed {
  filename: string;
  size: number;
  unpackedSize: number;
  files: { path: string }[];
}

const run = (command: string, args: string[], cwd = folder): string =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

function packed(...more: string[]): Packed {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder, ...more];
  return JSON.parse(run('npm', args, process.cwd()))[0];
}

const main = packed();
const native = packed('--workspace', 'native');

type Locked = Record<string, unknown> & { dev?: boolean; devDependencies?: object };

/** The lock of a project with both packages, and of all others the versions that the repository has. */
function lockOf(dependencies: Record<string, string>) {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Locked> };
  const { '': root, native: addon, ...others } = lock.packages;
  const { devDependencies: _, workspaces: __, ...own } = root as Locked;
  const packages = {
    ...Object.fromEntries(Object.entries(others).filter(([, { dev }]) => !dev)),
    '': { dependencies },
    'node_modules/ringside-bench': { ...own, resolved: dependencies['ringside-bench'] },
    'node_modules/ringside-native': { ...addon, resolved: dependencies['ringside-native'] },
  };
  return { lockfileVersion: 3, requires: true, packages };
}

const paths = main.files.map(({ path }) => path);

/** Modules that nobody imports: programs and what starts as a thread, and scripts that a page of results holds. */
const starts = [
  /^dist\/src\/(cli|worker)\/main\.js$/,
  /^dist\/src\/(results\/public|flow\/index)\.js$/,
  /^dist\/src\/render\/html\/script\/\w+\.js$/,
  /^dist\/servers\/[\w-]+\/main\.js$/,
];

/** All modules that these name, and so on. */
function reached(): Set<string> {
  const found = new Set(paths.filter((path) => starts.some((start) => start.test(path))));
  for (const path of found)
    for (const [, name = ''] of readFileSync(path, 'utf8').matchAll(/['"`](\.{1,2}\/[^'"`\s$]+\.js)['"`]/g))
      found.add(join(dirname(path), name));
  return found;
}

describe('the npm package', () => {
  it('is small', () => {
    expect(main.size).toBeLessThan(700e3);
    expect(main.unpackedSize).toBeLessThan(2.5e6);
    expect(main.files.length).toBeLessThan(700);
  });

  it('holds no tests, source maps or scripts of the repository, and no module that nothing uses', () => {
    expect(paths.filter((path) => /\.test\.|\.map$|^dist\/(scripts|test)\//.test(path))).toEqual([]);
    const used = reached();
    expect(paths.filter((path) => path.endsWith('.js') && !used.has(path))).toEqual([]);
  });

  it('has every file of `deploy/` that its docs name', () => {
    const named = ['compose.yaml', 'kubernetes/bench-runner.yaml', 'kubernetes/chart/Chart.yaml'];
    const unit = 'systemd/ringside-bench-runner.service';
    for (const path of [...named, unit]) expect(paths).toContain(`deploy/${path}`);
  });

  it('has the sources that `ringside install` builds and names by their content', () => {
    const sources = run('git', ['ls-files', 'servers'], process.cwd()).match(/^.+(?<!\.ts|README\.md)$/gm);
    expect(sources).not.toHaveLength(0);
    expect(paths).toEqual(expect.arrayContaining(sources ?? []));
  });

  it('has entries that every program finds as they are meant', async () => {
    const tarball = new Uint8Array(readFileSync(join(folder, main.filename))).buffer;
    expect((await publint({ pack: { tarball } })).messages).toEqual([]);
  });

  it('installs into an empty directory, and runs there', () => {
    const dependencies = { 'ringside-bench': `file:${main.filename}`, 'ringside-native': `file:${native.filename}` };
    const { overrides } = JSON.parse(readFileSync('package.json', 'utf8'));
    const project = { private: true, type: 'module', dependencies, overrides };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(project));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lockOf(dependencies)));
    run('npm', ['ci', '--prefer-offline']);
    const ringside = join(folder, 'node_modules/.bin/ringside');
    expect(run(ringside, ['--help'])).toMatch(/^Usage: ringside/);
    expect(run(ringside, ['list', 'targets'])).toContain('socketio');
    const load = ['--clients', '7', '--rate', '50/s', '--threshold', 'opened==7'];
    const { stdout } = spawnSync(ringside, ['run', 'connect', '--target', 'ws', ...load, '--json'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(JSON.parse(stdout)).toMatchObject({ ledger: { opened: 7 }, thresholds: [{ isKept: true }] });
  });

  it('reads kept results through `ringside-bench/results`, with types', () => {
    const [kept = ''] = readdirSync('results/kept').filter((name) => existsSync(`results/kept/${name}/result.json`));
    const file = resolve('results/kept', kept, 'result.json');
    const { startedAt } = JSON.parse(readFileSync(file, 'utf8')) as { startedAt: string };
    writeFileSync(
      join(folder, 'read.ts'),
      [
        `import { readFileSync } from 'node:fs';`,
        `import { comparison, type RunResult, runResult } from 'ringside-bench/results';`,
        `const result: RunResult = runResult.parse(JSON.parse(readFileSync(${JSON.stringify(file)}, 'utf8')));`,
        `const p99: number | null | undefined = result.metrics.delivery?.p99;`,
        `console.log(result.startedAt, typeof p99, typeof comparison.parse);`,
        `// @ts-expect-error`,
        `result.metrics.delivery.p77;`,
      ].join('\n'),
    );
    const types = ['--types', 'node', '--typeRoots', resolve('node_modules/@types')];
    const flags = ['--module', 'nodenext', '--target', 'es2023', '--strict', ...types];
    run(process.execPath, [resolve('node_modules/typescript/bin/tsc'), ...flags, 'read.ts']);
    expect(run(process.execPath, ['read.js'])).toBe(`${startedAt} number function\n`);
    expect(() => run(process.execPath, ['-e', `await import('ringside-bench/dist/src/cli/main.js')`])).toThrow();
  });
});
