import { describe, expect, it } from 'vitest';
import { built } from '../../../test/built.js';
import { idleFlags } from '../../../test/capacity.js';
import { canHaveOwnNetwork, inOwnNetwork, setPortRange } from '../../../test/namespace.js';
import { asJson, named, refusal } from '../../../test/refusal.js';
import { fewDescriptors } from '../../../test/runs/descriptors.js';
import { workplace } from '../../../test/workplace.js';

const place = workplace();
const isLinux = process.platform === 'linux';
const ringside = `"${process.execPath}" "${built('src/cli/main.js')}"`;
const idleWs = (flags: string[]): string => `${ringside} run idle --target ws ${flags.join(' ')}`;

describe.runIf(isLinux)('descriptors', () => {
  it('are refused over too few of each process', async () => {
    const [problem] = await refusal(fewDescriptors(place, 293, asJson));
    expect(problem).toEqual(named('descriptorLimit', 106, 370, 293));
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
