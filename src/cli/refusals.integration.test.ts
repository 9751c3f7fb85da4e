import { describe, expect, it } from 'vitest';
import { built } from '../../test/built.js';
import { asJson, named, refusal } from '../../test/refusal.js';
import { filesIn, workplace } from '../../test/workplace.js';

const place = workplace();
const latency = ['run', 'latency', '--target', 'ws'];

describe.concurrent('what is refused before any load is made', () => {
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
