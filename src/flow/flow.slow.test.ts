import { describe, expect, it } from 'vitest';
import { expectAll, expectExact, expectWithin, inLastingRooms, inRooms } from '../../test/flow-rooms.js';
import { workplace } from '../../test/workplace.js';

const place = workplace();

describe('a server that loses, doubles and delays keeps its own count, and the ledger agrees', () => {
  it.each(
    ['--engine native', '--engine js', '--client library'].flatMap((engine) =>
      ['--workers 1', '--workers 2', '--workers 3', '--workers 1 --local-shards 2', '--workers 3 --local-shards 2'].map(
        (rig) => `${engine} ${rig}`,
      ),
    ),
  )('in rooms that are full before the first key: %s', async (rig) => {
    expectExact(await inRooms(place, 'rooms.flow.ts', 65, rig), 65);
  });

  it.each([
    '--engine native --workers 3',
    '--engine native --workers 2 --local-shards 2',
    '--engine js --workers 2',
    '--client library --workers 2 --local-shards 2',
  ])('in rooms whose members come and go: %s', async (rig) => {
    expectWithin(await inRooms(place, 'moving-rooms.flow.ts', 70, rig), 70);
  });
});

it('shards of a run that its user ends know what the others sent', async () => {
  const run = await inLastingRooms(place, ['--duration', '10m'], (command) => command.kill('SIGINT'));
  expectAll(run);
  expect([run.code, run.result.stop.code]).toEqual([130, 'endedByUser']);
});
