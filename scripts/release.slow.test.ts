import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { lackOf, titled } from '../test/engines.js';
import { workplace } from '../test/workplace.js';

const place = workplace();
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

function ran(command: string, args: string[], { cwd, ...env }: NodeJS.ProcessEnv = {}): [number | null, string] {
  const { status, stdout, stderr } = spawnSync(command, args, {
    ...{ cwd, encoding: 'utf8', env: { ...process.env, ...env } },
  });
  return [status, stdout + stderr];
}

const actionlint = ['run', 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12'];
const goLack = lackOf('go', [...actionlint, '--version'], 'a release of Go from go.dev/dl, and its module proxy');

describe.skipIf(goLack)(titled('the workflows', goLack), () => {
  it('have no fault that actionlint finds', () => {
    const own = ['ci', 'nightly', 'release', 'upstream'].map((name) => `.github/workflows/${name}.yml`);
    expect(ran('go', [...actionlint, ...own, 'examples/ci/pull-request.yml'])).toEqual([0, '']);
  });
});

describe('a release', () => {
  it('refuses a tag of another version', () => {
    const check = (tag: string) => ran('scripts/release/check-tag.sh', [], { GITHUB_REF_NAME: tag })[0];
    expect([check(`v${version}`), check('v97.1.0')]).toEqual([0, 1]);
  });

  it('writes where the packages come from, for their provenance', () => {
    const copy = join(place.folder, 'address');
    for (const name of ['package.json', 'native/package.json']) cpSync(name, join(copy, name));
    const env = { GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'example/ringside' };
    expect(ran(resolve('scripts/release/address.sh'), [], { cwd: copy, ...env })[0]).toBe(0);
    for (const name of ['package.json', 'native/package.json'])
      expect(JSON.parse(readFileSync(join(copy, name), 'utf8'))).toMatchObject({
        repository: { url: 'git+https://github.com/example/ringside.git' },
      });
  });

  it('publishes what nobody has yet, the main package last', () => {
    const packed = join(place.folder, 'packed');
    mkdirSync(packed);
    ran('npm', ['pack', '--ignore-scripts', '--pack-destination', packed]);
    ran(process.execPath, ['native/prebuilt.mjs', packed, 'main']);
    ran(process.execPath, ['native/prebuilt.mjs', packed]);
    const [code, said] = ran('scripts/release/publish.sh', [packed, '--dry-run']);
    const names = [...said.matchAll(/^\+ ([\w-]+)@/gm)].map(([, name]) => name);
    expect([code, names.slice(-2)]).toEqual([0, ['ringside-native', 'ringside-bench']]);
  });
});

/** Runs the steps of `action.yml` as a workflow does: with programs of the test in the place of npx and gh. */
function act(inputs: Record<string, string>): { code: number; comment: string | undefined; summary: string } {
  const cwd = join(place.folder, `act-${Object.values(inputs).join('-').replaceAll(/\W+/g, '-')}`);
  const bin = join(cwd, 'bin');
  mkdirSync(bin, { recursive: true });
  const program = (name: string, script: string): void => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  program('npx', `echo "$3" > package; shift 4; exec '${process.execPath}' '${resolve('dist/src/cli/main.js')}' "$@"`);
  program('gh', 'echo "$@" > gh');
  const { inputs: declared, runs } = parse(readFileSync('action.yml', 'utf8'));
  const given: Record<string, string> = Object.fromEntries(
    Object.entries(declared as Record<string, { default?: string }>).map(([name, each]) => [
      name,
      inputs[name] ?? each.default ?? '',
    ]),
  );
  const output = join(cwd, 'output');
  const summary = join(cwd, 'summary');
  for (const file of [output, summary]) writeFileSync(file, '');
  const codeOf = (): string => /^code=(\d+)$/m.exec(readFileSync(output, 'utf8'))?.[1] ?? '';
  const value = (text: string): string =>
    text.replaceAll(/\$\{\{ (.+?) \}\}/g, (_, name: string) => {
      if (name === 'github.action_path') return resolve('.');
      if (name === 'steps.measure.outputs.code') return codeOf();
      return name.startsWith('inputs.') ? (given[name.slice('inputs.'.length)] ?? '') : '7';
    });
  let code = 0;
  for (const step of runs.steps as { id?: string; if?: string; run?: string; env?: Record<string, string> }[]) {
    if (step.run === undefined || (step.id === undefined && codeOf() === '')) continue;
    const env = Object.fromEntries(Object.entries(step.env ?? {}).map(([name, text]) => [name, value(text)]));
    const files = { GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary, GITHUB_REPOSITORY: 'example/chat' };
    const PATH = `${bin}:${process.env.PATH}`;
    code = ran('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run], {
      cwd,
      ...files,
      ...env,
      PATH,
    })[0]!;
    if (code !== 0 && step.id !== undefined) break;
  }
  const said = ran('cat', [join(cwd, 'gh')]);
  return { code, comment: said[0] === 0 ? said[1] : undefined, summary: readFileSync(summary, 'utf8') };
}

describe('the action', () => {
  it('comments a comparison, and fails by a limit that breaks', () => {
    const load = 'latency --design runs --repeat 1 --clients 3 --broadcasts 10 --target ws --target uws';
    const broken = act({ compare: `${load} --threshold 'lost == 7'` });
    expect(broken).toMatchObject({ code: 3, comment: expect.stringContaining('pr comment 7 --repo example/chat') });
    expect(broken.summary).toContain('lost');
  });

  it('refuses what is neither a suite nor a comparison', () => {
    expect(act({})).toMatchObject({ code: 2, comment: undefined, summary: '' });
    expect(act({ suite: 'a.yml', compare: 'latency' })).toMatchObject({ code: 2, comment: undefined });
  });
});
