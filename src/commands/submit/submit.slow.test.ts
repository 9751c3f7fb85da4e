import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { attach, attachedResult, place, wholeLedger, wholeRun } from '../../../test/runs/attach.js';
import { commandLineOf, type SubmittedJob, submitted } from '../../../test/runs/submit.js';

it('the driver of a manifest runs as it says there, and attach fetches the whole run from the shards', async () => {
  const { args, shards } = await wholeRun();
  const { stdout, stderr } = await place.run(submitted('kubernetes', args));
  const [, runId = ''] = /ringside attach ([0-9a-f]{8})/.exec(stderr) ?? [];
  const driver = place.ringside(commandLineOf(parse(stdout) as SubmittedJob));
  const [second, left] = await Promise.all([
    driver.said('stderr', / publish /).then(() => attachedResult(attach({ runId, shards }), { runId })),
    driver.ended,
  ]);
  expect(left.code).toBe(0);
  expect(second.stop.code).toBe('completed');
  expect(second.ledger).toMatchObject(wholeLedger);
});
