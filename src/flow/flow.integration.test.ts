import { describe, it } from 'vitest';
import { expectExact, expectWithin, inRooms } from '../../test/flow-rooms.js';
import { workplace } from '../../test/workplace.js';

const place = workplace();

describe.concurrent('a server that loses, doubles and delays keeps its own count, and the ledger agrees', () => {
  it.each(['--engine native --workers 3', '--engine js --workers 2 --local-shards 2'])(
    'in rooms that are full before the first key: %s',
    async (rig) => {
      expectExact(await inRooms(place, 'rooms.flow.ts', 65, rig), 65);
    },
  );

  it('in rooms whose members come and go', async () => {
    expectWithin(await inRooms(place, 'moving-rooms.flow.ts', 70, '--engine native --workers 2'), 70);
  });
});
