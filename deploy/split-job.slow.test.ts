import { describe, it } from 'vitest';
import { targetFlags } from '../test/latency.js';
import { canDrill, Network } from '../test/network.js';
import { splitJob, wholeSplit } from '../test/split-job.js';
import { workplace } from '../test/workplace.js';

const place = workplace();

// Three containers of Compose and three pods of Kubernetes run the same job in the tests of those.
describe('the job with one ledger everywhere', () => {
  it('has it over one shard on loopback', async () => {
    const [target, runner] = await Promise.all([
      place.serve('servers/ws/main.js', ['--port', '0']),
      place.benchRunner(),
    ]);
    const shards = { SHARDS: `http://127.0.0.1:${runner.port}` };
    wholeSplit(await place.run(['run', 'latency', ...splitJob, ...targetFlags(target)], shards), 1);
  });

  it.runIf(canDrill('a job over three machines'))('has it over three network namespaces', async () => {
    const network = await Network.open(place, 3);
    const names = ['s1', 's2', 's3'];
    const [{ flags }] = await Promise.all([network.target(), ...names.map((name) => network.shard(name))]);
    wholeSplit(await network.drive(['run', 'latency', ...splitJob, ...flags], names).ended, 3);
  });
});
