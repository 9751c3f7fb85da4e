import { describe, expect, it } from 'vitest';
import { built } from '../../../test/built.js';
import { capacityBooks, heldResult, idleFlags } from '../../../test/capacity.js';
import { canHaveOwnNetwork, inOwnNetwork, setPortRange } from '../../../test/namespace.js';
import { workplace } from '../../../test/workplace.js';

const place = workplace();
const idleWs = `"${process.execPath}" "${built('src/cli/main.js')}" run idle --target ws`;

describe.runIf(canHaveOwnNetwork)('source ports (in a network of their own)', () => {
  it('of several addresses add up', async () => {
    const addresses = ['--local-address', '127.0.0.2-127.0.0.8'];
    const script = `${setPortRange(32_768, 32_798)} && exec ${idleWs} ${idleFlags(101, addresses).join(' ')}`;
    const result = heldResult(await place.start('unshare', inOwnNetwork(script)).ended);
    expect(capacityBooks(result)).toMatchObject({ opened: 101, held: 101 });
  });
});
