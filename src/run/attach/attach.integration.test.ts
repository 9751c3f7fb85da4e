import { expect, it } from 'vitest';
import { attach, attachedResult, begin, wholeLedger } from '../../../test/runs/attach.js';

it('a driver is killed in the publishing: another one keeps the whole run', async () => {
  const run = await begin();
  await run.driver.said('stderr', / publish /);
  run.driver.kill('SIGKILL');
  const second = attach(run);
  const result = await attachedResult(second, run);
  expect(result.stop.code).toBe('completed');
  expect(result.ledger).toMatchObject(wholeLedger);
  expect(result.shards.map(({ state }) => state)).toEqual(['complete', 'complete']);
  const { attached, stages, elapsedMs } = result.environment;
  expect(attached?.from).toMatch(new RegExp(`/${run.driver.pid}-`));
  expect(attached?.silentMs).toBeGreaterThan(0);
  // It came while broadcasts went out, and opened the gate behind them.
  expect(attached?.atMs).toBeGreaterThan(stages.find(({ name }) => name === 'publish')?.fromMs ?? Infinity);
  expect(attached?.atMs).toBeLessThan(elapsedMs);
});
