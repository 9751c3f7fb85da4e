import { expect, it } from 'vitest';
import { flowFiles } from '../../test/flow-files.js';
import { keptResult, workplace } from '../../test/workplace.js';

const place = workplace();
const at = flowFiles({
  'held.ts': `import { defineFlow } from 'ringside-bench/flow';
export default defineFlow({
  async client(me) {
    const socket = await me.open('/ws');
    me.check('open', socket);
    await me.together('open', { within: '1m' });
    if (me.number === 0) for (;;) {}
    await me.sleep('5m');
  },
});
`,
});

it('a flow that holds a worker stops its run, and the other workers report', async () => {
  const load = ['--clients', '7', '--workers', '3', '--arrivals', '70', '--duration', '1m'];
  const ended = await place.run(['run', 'flow', at('held.ts'), '--target', 'ws', ...load]);
  const { stop, ledger, shards } = keptResult(ended);
  expect(stop.code).toBe('flowStopped');
  expect(stop.evidence).toEqual([
    expect.stringContaining('worker 0 did nothing else for 5 s than run the flow at held.ts:7'),
  ]);
  // Client 0 is one of three of its worker.
  expect(ledger).toMatchObject({ checksKept: 4 });
  expect(shards).toHaveLength(1);
});
