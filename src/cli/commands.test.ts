import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { called } from '../../test/called.js';
import { named, problemsIn } from '../../test/refusal.js';
import { filesIn, workplace } from '../../test/workplace.js';
import { optionsOf } from '../options/option.js';
import { runSchema } from '../run/plan/plan.js';
import { scenarios } from '../scenarios/list.js';
import { targets } from '../targets/list.js';
import { withRun } from './define.js';

const place = workplace();
const nightly = fileURLToPath(new URL('../../scripts/nightly.yml', import.meta.url));

/** The problems of a command that refuses its input and keeps nothing. */
async function refused(args: string[], env: Record<string, string> = {}) {
  const ended = await called(args, { RINGSIDE_RESULTS: place.folder, ...env });
  expect(ended.code).toBe(2);
  expect(filesIn(place.folder)).toEqual([]);
  return problemsIn(ended);
}

describe('what is refused before any load is made', () => {
  it('wrong values, all of them at once, wherever they came from', async () => {
    const flags = ['--clients', '0', '--rate', 'fast', '--client', 'carrier-pigeon', '--payload', '3b'];
    const all = await refused(['run', 'latency', '--target', 'ws', ...flags], { RINGSIDE_DRAIN: 'soon' });
    expect(all).toEqual([
      named('badOption', '--clients', 1, 0),
      named('badOption', '--rate', 'fast'),
      named('badOption', '--payload', 3),
      named('badOption', 'RINGSIDE_DRAIN', 'soon'),
      named('badOption', '--client', 'wire', 'library', 'carrier-pigeon'),
    ]);
  });

  it('everything that is wrong with a grid of calibrate', async () => {
    const wrong = ['--clients', 'many', '--target', 'ws', '--client', 'browser'];
    expect(await refused(['calibrate', ...wrong])).toEqual(
      expect.arrayContaining(['--clients', '--target', '--client'].map((flag) => named('badOption', flag))),
    );
  });

  it('everything that is wrong with a search for the knee', async () => {
    const knee = ['knee', '--target', 'metronome'];
    const wrong = ['--clients', '7,none', '--min-rate', '10/s', '--max-rate', '10/s'];
    const all = await refused([...knee, ...wrong]);
    expect(all).toEqual([named('badOption', '--clients', 'none'), named('badOption', '--max-rate', '10')]);
    expect(await refused([...knee, '--precision', '5'])).toEqual([named('badOption', '--precision', '5')]);
  });

  it('a threshold for find, whose limit sets its exit code', async () => {
    const flags = ['--target', 'ws', '--limit', 'handshake.p99<1s', '--threshold', 'failed==0'];
    expect(await refused(['find', 'connect', ...flags])).toEqual([named('badOption', '--threshold')]);
  });

  it.each([
    ['latency', '--subscribers', '5', '--clients'],
    ['idle', '--connections', '5', '--clients'],
    ['echo', '--vus', '5', '--clients'],
    ['idle', '--hold', '5s', '--duration'],
    ['connect', '--arrivalRate', '5', '--rate'],
    ['latency', '-n', '5', '--broadcasts'],
    ['connect', '--duration', '5s', '--clients'],
    ['connect', '-d', '5s', '--clients'],
    ['avalanche', '-d', '5s', '--deadline'],
    ['steps', '-d', '5s', '--steps'],
    ['game', '-d', '5s', '--stages'],
    ['soak-and-burst', '-d', '5s', '--stages'],
  ])('what run %s does not call %s, with the name here', async (scenario, flag, value, meant) => {
    const [only, ...others] = await refused(['run', scenario, '--target', 'ws', flag, value]);
    expect(others).toEqual([]);
    expect(only).toMatchObject({ code: 'badOption', hint: expect.stringContaining(meant) });
  });

  it('a misspelt option of the load, by its own name', async () => {
    const [only] = await refused(['run', 'throughput', '--target', 'ws', '--clint', '10']);
    expect(only).toEqual(named('badOption', '--clint', 'Did you mean --clients'));
  });

  it('a length and a number of broadcasts that contradict each other', async () => {
    const asked = ['run', 'latency', '--target', 'ws', '-r', '20/s', '-d', '10s', '--broadcasts', '7'];
    expect(await refused(asked)).toEqual([named('badOption', '--broadcasts', 200, '--duration 10s', 7)]);
  });

  it('a length of a comparison in turns, as slots set it', async () => {
    const asked = ['compare', 'latency', '--target', 'ws', '--target', 'uws', '-d', '10s'];
    expect(await refused(asked)).toEqual([named('badOption', '--duration', '--design runs')]);
  });

  it.each([
    ['an unknown option', ['run', 'latency', '--subscibers', '7'], named('badOption', '--subscibers')],
    ['stages where they make no sense', ['run', 'whisper', '--stages', '1s:7'], named('badOption', '--stages', '1s:7')],
    ['an unknown scenario', ['run', 'sleep'], named('badOption', 'sleep')],
    ['no target', ['run', 'latency'], named('badOption', '--target')],
    ['half a target', ['run', 'echo', '--target-url', 'ws://127.0.0.1:1'], named('badOption', '--protocol')],
    ['a job file that is not there', ['run', 'latency', '--file', 'none.yaml'], named('badFile', 'none.yaml')],
    ['a result that is not there', ['show', 'none'], named('badResult', 'none', 'result.json')],
    [
      'a watched run of several',
      ['run', 'latency', '--target', 'ws', '--watch', '--repeat', '2'],
      named('badOption', '--watch'),
    ],
    [
      'a port for its page that is none',
      ['run', 'latency', '--target', 'ws', '--watch', '--watch-port', '70000'],
      named('badOption', '--watch-port', 70_000),
    ],
    ['a port of a target that is none', ['target', 'ws', '--port', '70000'], named('badOption', '--port', 65_535)],
    ['a reproduction of nothing', ['reproduce'], named('badOption')],
    ['a figure that nobody published', ['reproduce', 'jitter-uws-10k'], named('unknownName', 'jitter-uws-10k')],
  ])('%s', async (_name, args, problem) => {
    expect(await refused(args)).toEqual([problem]);
  });

  // Windows has no /dev.
  it.skipIf(process.platform === 'win32').each([
    ['run', ['run', 'latency', '--target', 'ws']],
    ['compare', ['compare', 'latency', '--target', 'ws']],
    ['knee', ['knee', '--target', 'ws']],
    ['find', ['find', 'connect', '--target', 'ws', '--limit', 'tcp.p50<1s']],
    ['calibrate', ['calibrate']],
    ['suite run', ['suite', 'run', nightly]],
  ])('a place for the results of %s in which nothing can be written', async (_name, args) => {
    expect(await refused([...args, '--results', '/dev/null/x'])).toEqual([
      named('badOption', '--results', '/dev/null/x', 'ENOTDIR'),
    ]);
  });

  it('every target of a comparison that does not exist', async () => {
    const names = ['nowhere', 'ws', 'nobody'].flatMap((name) => ['--target', name]);
    const all = await refused(['compare', 'latency', ...names]);
    expect(all).toEqual([named('unknownName', 'nowhere'), named('unknownName', 'nobody')]);
  });

  it('a suite whose file is wrong', async () => {
    const path = join(fileURLToPath(new URL('.', import.meta.url)), 'none.yml');
    expect(await refused(['suite', 'run', path])).toEqual([named('badFile', path)]);
  });
});

describe('what else can be asked', () => {
  const said = async (args: string[]): Promise<string> => {
    const ended = await called(args, { RINGSIDE_JSON: '' });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    return ended.stdout;
  };

  it.each(scenarios)('run $name --help all shows every flag', async (scenario) => {
    const help = await said(['run', scenario.name, '--help', 'all']);
    expect(help).toContain('--file <path>');
    for (const { flag } of optionsOf(runSchema(scenario))) expect(help).toContain(`--${flag}`);
  });

  it('list names all that there is', async () => {
    const names = JSON.parse(await said(['list', 'targets', '--json'])) as { name: string }[];
    expect(names.map(({ name }) => name)).toEqual(targets.map(({ name }) => name));
    expect(await said(['list', 'targets'])).toMatch(/^refuse-publish=share +0 /m);
    expect(await said(['list', 'scenarios'])).toContain('latency');
    expect(await said(['list', 'protocols'])).toContain('ws-json');
  });

  it('schema experiment is a JSON schema with a branch for each kind', async () => {
    const { oneOf } = JSON.parse(await said(['schema', 'experiment']));
    const kinds = ['comparison', 'finding', 'knee', 'calibration', 'suite', 'unfinished'];
    expect(oneOf).toMatchObject(
      kinds.map((kind) => ({
        ...{ type: 'object', additionalProperties: false, properties: { kind: { const: kind } } },
      })),
    );
  });

  it.each(['result', 'job'])('schema %s is a JSON schema', async (what) => {
    expect(JSON.parse(await said(['schema', what]))).toMatchObject({ type: 'object', additionalProperties: false });
  });
});

it.each([
  [
    ['ws://127.0.0.1:1/', '-c', '7'],
    ['run', 'connect', '--target-url', 'ws://127.0.0.1:1/', '-c', '7'],
  ],
  [['WSS://a.test/b'], ['run', 'connect', '--target-url', 'WSS://a.test/b']],
  [
    ['ws://a/', '--json', '--message', 'hi'],
    ['run', 'echo', '--target-url', 'ws://a/', '--json', '--message', 'hi'],
  ],
  [
    ['ws://a/', '--message-file=b'],
    ['run', 'echo', '--target-url', 'ws://a/', '--message-file=b'],
  ],
  [['http://a/'], ['http://a/']],
  [
    ['run', 'ws://a/'],
    ['run', 'ws://a/'],
  ],
  [[], []],
])('%j is the call %j', (given, call) => {
  expect(withRun(['node', 'ringside', ...given])).toEqual(['node', 'ringside', ...call]);
});
