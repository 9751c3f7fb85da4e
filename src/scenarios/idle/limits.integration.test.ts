import { describe, expect, it } from 'vitest';
import { built } from '../../../test/built.js';
import { capacityBooks, heldResult, idleFlags } from '../../../test/capacity.js';
import { canHaveOwnNetwork, inOwnNetwork, setPortRange } from '../../../test/namespace.js';
import { asJson, named, refusal } from '../../../test/refusal.js';
import { workplace } from '../../../test/workplace.js';

const place = workplace();
const isLinux = process.platform === 'linux';
const ringside = `"${process.execPath}" "${built('src/cli/main.js')}"`;
const idleWs = (flags: string[]): string => `${ringside} run idle --target ws ${flags.join(' ')}`;

describe.runIf(isLinux)('descriptors', () => {
  it('are refused over too few of each process, and taken over enough', async () => {
    const flags = idleFlags(211, ['--local-shards', '2', '--target-processes', '2', '--engine', 'js']).join(' ');
    const run = (limit: number, env = {}) =>
      place.start('bash', ['-c', `ulimit -n ${limit} && exec ${ringside} run idle --target uws ${flags}`], env);
    const [problem] = await refusal(run(293, asJson));
    expect(problem).toEqual(named('descriptorLimit', 106, 370, 293));
    expect(capacityBooks(heldResult(await run(499).ended))).toMatchObject({ opened: 211, held: 211 });
  });
});

describe.runIf(canHaveOwnNetwork)('source ports (in a network of their own)', () => {
  it('are counted before the run, which is refused', async () => {
    const flags = idleFlags(101, ['--local-address', '127.0.0.2']);
    const script = `${setPortRange(32_768, 32_798)} && exec ${idleWs(flags)}`;
    const refused = await refusal(place.start('unshare', inOwnNetwork(script), asJson));
    expect(refused).toEqual([named('portLimit', 101, 31)]);
  });
});
