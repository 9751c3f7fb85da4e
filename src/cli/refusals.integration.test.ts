import { describe, expect, it } from 'vitest';
import { built } from '../../test/built.js';
import { asJson, named, problemsIn, refusal } from '../../test/refusal.js';
import { filesIn, workplace } from '../../test/workplace.js';

const place = workplace();
const latency = ['run', 'latency', '--target', 'ws'];

describe.concurrent('what is refused before any load is made', () => {
  it('wrong values, on stderr and with nothing on stdout', async () => {
    const command = place.ringside([...latency, '--clients', '0', '--rate', 'fast']);
    const ended = await command.ended;
    expect(ended).toMatchObject({ code: 2, signal: null, stdout: '' });
    for (const name of ['--clients', '--rate']) expect(ended.stderr).toMatch(new RegExp(`^error: .*${name}`, 'm'));
    expect(filesIn(command.folder)).toEqual([]);
  });

  it('a wrong option after a bare address, which is a run', async () => {
    const refused = await place.ringside(['ws://127.0.0.1:1/', '--concurrency', 'none'], asJson).ended;
    expect([refused.code, problemsIn(refused)]).toEqual([2, [named('badOption', '--concurrency', 'none')]]);
  });

  it('an unknown command', async () => {
    const refused = await place.ringside(['measure'], asJson).ended;
    expect([refused.code, problemsIn(refused)]).toEqual([2, [expect.objectContaining({ code: 'badOption' })]]);
  });

  it('a shard that does not answer', async () => {
    const refused = await place.refused([...latency, '--shard', 'http://127.0.0.1:1']);
    expect(refused).toEqual([named('shardUnreachable', '127.0.0.1:1')]);
  });

  it('bench-runners that do not start on this machine', async () => {
    // An option of every bench-runner, which refuses this value.
    const command = place.ringside([...latency, '--local-shards', '2'], { ...asJson, RINGSIDE_MAX_BODY: '1b' });
    expect(await refusal(command)).toEqual([named('shardNotStarted', '0 of 2')]);
    expect((await command.ended).stderr).toContain('RINGSIDE_MAX_BODY');
  });

  it('a target whose binary is missing, to run and to search', async () => {
    const env = { ANYCABLE_GO_BIN: '/nowhere/anycable-go', PATH: '/nowhere' };
    const missing = [named('targetUnavailable', '/nowhere/anycable-go')];
    expect(await place.refused(['run', 'latency', '--target', 'anycable'], env)).toEqual(missing);
    expect(await place.refused(['knee', '--target', 'anycable'], env)).toEqual(missing);
  });

  it('a shard that wants another token', async () => {
    const { port } = await place.benchRunner(['--token', 'prime-7919']);
    const shard = ['--shard', `http://127.0.0.1:${port}`, '--token', 'prime-7907'];
    expect(await place.refused([...latency, ...shard])).toEqual([named('unauthorized', port)]);
  });

  it('more clients than the descriptors and ports of a shard, or the descriptors of a target, allow', async () => {
    const flags = [...latency, '--clients', '100003', '--local-address', '127.0.0.1', '--engine', 'js'];
    const script = ['-c', 'ulimit -n 1009; exec "$@"', 'sh', process.execPath, built('src/cli/main.js'), ...flags];
    const limited = place.start('sh', script, asJson);
    expect(await refusal(limited)).toEqual([
      named('descriptorLimit', 100_003, 100_267, 1009),
      named('portLimit', 100_003),
      named('descriptorLimit', 100_003, 100_203, 1009),
    ]);
    expect(filesIn(limited.folder)).toEqual(['results']);
  });
});
