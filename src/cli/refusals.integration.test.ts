import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { built } from '../../test/built.js';
import type { Ended } from '../../test/command.js';
import { filesIn, workplace } from '../../test/workplace.js';

const place = workplace();
const nightly = fileURLToPath(new URL('../../scripts/nightly.yml', import.meta.url));

/** The messages of a refusal that started nothing, kept nothing and wrote nothing to stdout. */
async function refusal(args: string[], env: Record<string, string> = {}): Promise<string[]> {
  const command = place.ringside(args, env);
  return messages(await command.ended, command.family());
}

function messages(ended: Ended, left: unknown[]): string[] {
  expect(ended).toMatchObject({ code: 2, signal: null, stdout: '' });
  expect(left).toEqual([]);
  expect(ended.stderr).not.toContain('kept in');
  return [...ended.stderr.matchAll(/^error: (.+)$/gm)].map((match) => match[1] as string);
}

describe.concurrent('what is refused before any load is made', () => {
  it('wrong values, all of them at once, wherever they came from', async () => {
    const flags = ['--subscribers', '0', '--rate', 'fast', '--client', 'carrier-pigeon', '--payload', '3b'];
    const all = await refusal(['run', 'latency', '--target', 'ws', ...flags], { RINGSIDE_DRAIN: 'soon' });
    expect(all).toEqual([
      expect.stringContaining('--subscribers: expected at least 1'),
      expect.stringContaining('--rate: expected'),
      expect.stringContaining('--payload: expected at least'),
      expect.stringContaining('RINGSIDE_DRAIN: expected'),
      expect.stringContaining('--client: expected one of wire, library'),
    ]);
  });

  it.each([
    ['an unknown option', ['run', 'latency', '--subscibers', '7'], /unknown option '--subscibers'/],
    ['an unknown command', ['measure'], /unknown command 'measure'/],
    ['an unknown scenario', ['run', 'sleep'], /unknown command 'sleep'/],
    ['no target', ['run', 'latency'], /--target: expected a target/],
    ['a target half brought', ['run', 'latency', '--target-url', 'ws://127.0.0.1:1'], /--protocol: expected/],
    ['a job file that is not there', ['run', 'latency', '--file', 'none.yaml'], /none\.yaml/],
    ['a result that is not there', ['show', 'none'], /none holds none of result.json/],
    [
      'a shard that does not answer',
      ['run', 'latency', '--target', 'ws', '--shard', 'http://127.0.0.1:1'],
      /:1 did not answer \(connection refused\)/,
    ],
  ])('%s', async (_name, args, message) => {
    expect((await refusal(args)).join('\n')).toMatch(message);
  });

  it('bench-runners that do not start on this machine, which is no fault of Ringside', async () => {
    // An option of every bench-runner, that none can have.
    const [message, ...more] = await refusal(['run', 'latency', '--target', 'ws', '--local-shards', '3'], {
      RINGSIDE_MAX_BODY: '1b',
    });
    expect(message).toContain('RINGSIDE_MAX_BODY: expected at least');
    expect(more.at(-1)).toMatch(/^0 of 3 bench-runners started/);
  });

  it.each([
    ['run', ['run', 'latency', '--target', 'ws']],
    ['compare', ['compare', 'latency', '--target', 'ws']],
    ['knee', ['knee', '--target', 'ws']],
    ['find', ['find', 'connect', '--target', 'ws', '--limit', 'tcp.p50<1s']],
    ['calibrate', ['calibrate']],
    ['suite run', ['suite', 'run', nightly]],
  ])('a place for the results of %s in which nothing can be written', async (_name, args) => {
    const [message] = await refusal([...args, '--results', '/dev/null/x']);
    expect(message).toContain('--results: expected a directory that can be written, received /dev/null/x (ENOTDIR');
  });

  it('every target of a comparison that there is not', async () => {
    const all = await refusal(['compare', 'latency', '--target', 'nowhere', '--target', 'ws', '--target', 'nobody']);
    expect(all).toEqual([expect.stringContaining('"nowhere"'), expect.stringContaining('"nobody"')]);
  });

  it('a target whose binary is missing', async () => {
    const env = { ANYCABLE_GO_BIN: '/nowhere/anycable-go', PATH: '/nowhere' };
    const [message] = await refusal(['run', 'latency', '--target', 'anycable'], env);
    expect(message).toContain('ANYCABLE_GO_BIN is /nowhere/anycable-go');
  });

  it('a shard that wants another token', async () => {
    const { port } = await place.benchRunner(['--token', 'prime-7919']);
    const shard = `http://127.0.0.1:${port}`;
    const [message] = await refusal(['run', 'latency', '--target', 'ws', '--shard', shard, '--token', 'prime-7907']);
    expect(message).toMatch(/expected the token of this bench-runner, received another one$/);
  });

  it('more clients than the descriptors and source ports of a shard, or the descriptors of a target, allow', async () => {
    const command = ['run', 'latency', '--target', 'ws', '--subscribers', '100003', '--local-address', '127.0.0.1'];
    const limited = place.start('sh', ['-c', 'ulimit -n 1009; exec "$@"', 'sh', process.execPath, main, ...command]);
    const ended = await limited.ended;
    expect(messages(ended, limited.family())).toEqual([
      expect.stringMatching(/100003 clients need 100267 file descriptors, free are \d+ of 1009$/),
      expect.stringMatching(/100003 clients need as many source ports; there are \d+ \(\d+ × 1\)/),
      expect.stringMatching(
        /^the target: 100003 clients over 1 process\(es\) need 100203 file descriptors in each, the limit is 1009$/,
      ),
    ]);
    for (const recipe of ['ulimit -n', '--local-shards', '--local-address', 'ip_local_port_range']) {
      expect(ended.stderr).toContain(recipe);
    }
    expect(filesIn(limited.folder)).toEqual(['results']);
  });
});

const main = built('src/cli/main.js');
