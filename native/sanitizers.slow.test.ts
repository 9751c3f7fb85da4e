import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { titled } from '../test/engines.js';
import { copiedNative, hasCompiler, placeholder } from '../test/native-package.js';

const folder = mkdtempSync(join(tmpdir(), 'ringside-sanitizers-'));
afterAll(() => rmSync(folder, { recursive: true }));

const flags = ['-g', '-fno-omit-frame-pointer', '-fsanitize=address,undefined', '-fno-sanitize-recover=all'];
const compiler = process.env.CC || 'cc';
const runtime = spawnSync(compiler, ['-print-file-name=libasan.so'], { encoding: 'utf8' }).stdout?.trim() ?? '';
const lack = lackOfSanitizers();

/** What the compiler or Node lacks, and how to get it; undefined if nothing is missing. */
function lackOfSanitizers(): string | undefined {
  const wayOut = 'apt-get install gcc, and CC=gcc';
  if (!hasCompiler) return `no C compiler (${compiler}): ${wayOut}`;
  if (!isAbsolute(runtime)) return `no libasan of ${compiler}: ${wayOut}`;
  const tried = (program: string, args: readonly string[], env = {}) => {
    const { status, stderr } = spawnSync(program, args, { encoding: 'utf8', env: { ...process.env, ...env } });
    return status === 0 ? undefined : stderr.trim().split('\n', 1)[0];
  };
  const linked = tried(compiler, [...flags, '-shared', '-x', 'c', '/dev/null', '-o', join(folder, 'probe')]);
  if (linked !== undefined) return `${compiler} links no sanitizers (${linked}): ${wayOut}`;
  // One for another C library or machine links, and keeps Node from starting, or is left out.
  const isThere = `process.exit(fs.readFileSync('/proc/self/maps', 'utf8').includes('libasan') ? 0 : 1)`;
  const started = tried(process.execPath, ['--eval', isThere], preloaded());
  return started === undefined ? undefined : `Node does not start with ${runtime} (${started})`;
}

/** What has Node start with the sanitizers, which write what they find to a file or to stderr, and end the process. */
function preloaded() {
  // Node frees little before it exits.
  const ASAN_OPTIONS = `detect_leaks=0:log_path=${join(folder, 'finding')}`;
  return { LD_PRELOAD: runtime, ASAN_OPTIONS, UBSAN_OPTIONS: 'print_stacktrace=1' };
}

/** The addon from the sources of a package, with what tells of each fault. */
async function compiled(native: string): Promise<string> {
  const addon = join(folder, 'wire.node');
  const module = JSON.stringify(resolve(native, 'compile.mjs'));
  const script = `const { compile } = await import(${module});
    console.log(JSON.stringify(await compile(${[addon, ...flags].map((each) => JSON.stringify(each))})));`;
  const { stdout } = await ended(['--input-type=module', '--eval', script]);
  expect(JSON.parse(stdout)).not.toHaveProperty('lack');
  return addon;
}

/** How Node ended, what it wrote, and what was found in it and in all that it started. */
async function ended(args: readonly string[], addon?: string) {
  const env = { ...process.env, ...(addon && { TEST_ADDON: addon, ...preloaded() }) };
  const [code, stdout, stderr] = await new Promise<[unknown, string, string]>((resolve) =>
    execFile(process.execPath, args, { env, maxBuffer: 2 ** 28 }, (error, ...written) =>
      resolve([error?.code ?? 0, ...written]),
    ),
  );
  const inFiles = found().map((name) => readFileSync(join(folder, name), 'utf8'));
  const findings = [...inFiles, ...(/^.* runtime error: [\s\S]*/m.exec(stderr) ?? [])].map((each) =>
    each.slice(0, 9_999),
  );
  return { code, stdout, findings };
}

const found = () => readdirSync(folder).filter((name) => name.startsWith('finding'));

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly failureMessages: readonly string[] }[];
  }[];
}

/** What failed, in files and in their tests. */
const failures = ({ testResults }: Report): string[] =>
  testResults.flatMap(({ name, message, assertionResults }) => [
    ...(message ? [`${name}: ${message}`] : []),
    ...assertionResults.flatMap(({ fullName, failureMessages }) =>
      failureMessages.map((each) => `${fullName}: ${each}`),
    ),
  ]);

describe.skipIf(lack)(titled('an addon that sanitizers watch', lack), () => {
  afterEach(() => {
    for (const name of found()) rmSync(join(folder, name));
  });

  it.each([
    ['free((void *)memory); memory[3] = 0;', 'heap-use-after-free'],
    ['memory[size] = 0;', 'heap-buffer-overflow'],
    ['memory[0] = 1 << size;', 'shift exponent 42 is too large'],
  ])('is caught at `%s`', async (fault, name) => {
    const native = copiedNative();
    const body = `volatile unsigned size = 42; volatile char *memory = malloc(size); ${fault}`;
    const source = placeholder(42).replace('NAPI_MODULE_INIT() {', `NAPI_MODULE_INIT() { ${body}`);
    writeFileSync(join(native.folder, 'src/wire.c'), `#include <stdlib.h>\n${source}`);
    const script = `(await import('ringside-native')).loadAddon()`;
    const addon = await compiled(native.folder);
    const { code, findings } = await ended(['--input-type=module', '--eval', script], addon);
    expect(code).not.toBe(0);
    expect(findings).toEqual([expect.stringContaining(name)]);
  });

  it('does nothing wrong as the native engine', async () => {
    const inWire = readdirSync('src/wire', { recursive: true, encoding: 'utf8' });
    const tests = [
      ...inWire.filter((path) => path.endsWith('.loopback.test.ts')).map((path) => join('src/wire', path)),
      ...['src/worker/ahead.loopback.test.ts', 'src/worker/unread.loopback.test.ts'],
      ...['life.integration', 'differential.slow', 'differential-tls.slow'].map(
        (name) => `src/wire/native/${name}.test.ts`,
      ),
    ];
    const projects = ['loopback', 'integration', 'slow'].flatMap((name) => ['--project', name]);
    const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', '.vitest.config.ts', ...projects];
    const { code, stdout, findings } = await ended([...vitest, '--reporter=json', ...tests], await compiled('native'));
    expect(findings).toEqual([]);
    const report = JSON.parse(stdout) as Report;
    expect(failures(report)).toEqual([]);
    expect(report).toMatchObject({ success: true, numPendingTests: 0 });
    expect(code).toBe(0);
  });
});
