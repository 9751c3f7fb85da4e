import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'ringside-package-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Packed {
  filename: string;
  unpackedSize: number;
  files: { path: string }[];
}

const run = (command: string, args: string[], cwd = folder): string =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
const [packed] = JSON.parse(run('npm', pack, process.cwd())) as [Packed];
const installed = join(folder, 'node_modules/ringside-bench');

describe('the npm package', () => {
  it('is small, and holds no tests, source maps or scripts of the repository', () => {
    expect(packed.unpackedSize).toBeLessThan(2.5e6);
    expect(packed.files.length).toBeLessThan(700);
    const strange = packed.files.filter(({ path }) => /\.test\.|\.map$|^dist\/(scripts|test)\//.test(path));
    expect(strange).toEqual([]);
  });

  it('runs where it is installed', () => {
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    mkdirSync(installed, { recursive: true });
    run('tar', ['-xf', packed.filename, '--strip-components=1', '-C', installed]);
    // The dependencies of the checkout stand in for those of a registry.
    symlinkSync(resolve('node_modules'), join(installed, 'node_modules'));
    const main = join(installed, 'dist/src/cli/main.js');
    expect(run(process.execPath, [main, '--help'])).toMatch(/^Usage: ringside/);
    expect(run(process.execPath, [main, 'list', 'targets'])).toContain('socketio');
    const load = ['--connections', '7', '--rate', '50/s', '--threshold', 'opened==7'];
    const { stdout } = spawnSync(process.execPath, [main, 'run', 'connect', '--target', 'ws', ...load, '--json'], {
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
