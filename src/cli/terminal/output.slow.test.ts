import { describe, expect, it } from 'vitest';
import { expectUnwritten, expectWhole, hasFull, outcomeOf, outcomeOverFleet, run } from '../../../test/runs/outlets.js';
import { exitCodes } from '../../contract/exit-codes.js';

describe.concurrent('a run', () => {
  it.each([
    ['whose stderr nobody reads during its load', `{ ${run} 2>&1; echo $? > code; } | head -2`],
    ['without a stderr', `${run} 2>&-; echo $? > code`],
    ['whose stdout nobody reads after the first line', `{ ${run}; echo $? > code; } | head -1`],
  ])('%s is kept, and ends as it would', async (_of, script) => {
    expectWhole(await outcomeOf(script));
  });

  it.runIf(hasFull)('whose stderr is on a full disk is kept, and ends as it would', async () => {
    expectWhole(await outcomeOverFleet(`${run} 2>/dev/full; echo $? > code`));
  });

  it.runIf(hasFull)('whose JSON stdout does not take is kept, and not clean', async () => {
    expectUnwritten(await outcomeOverFleet(`${run} --json > /dev/full; echo $? > code`));
  });

  it('on a file system without room is not clean where its figures go to a file', async () => {
    const { code, stderr } = await outcomeOverFleet(`ulimit -f 1; ${run} > out; echo $? > code`);
    expect(code).toBe(exitCodes.rig.code);
    expect(stderr.match(/^error: .*EFBIG/gm)).toHaveLength(1);
  });
});
