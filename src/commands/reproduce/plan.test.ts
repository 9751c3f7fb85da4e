import { describe, expect, it } from 'vitest';
import { smallSource } from '../../../test/published.js';
import type { ProblemError } from '../../contract/problems.js';
import { type PublishedTable, tablesOf } from '../../results/published.js';
import type { Given } from '../../run/plan/plan.js';
import { planReproduction } from './plan.js';
import { readPublished } from './published.js';

const nothing: Given = { flags: {}, env: {}, file: {} };
const small = tablesOf(smallSource)[0] as PublishedTable;
const shipped = (id: string): PublishedTable => readPublished().find((table) => table.id === id) as PublishedTable;

function refusal(table: PublishedTable, scale = 1): ProblemError['problems'] {
  try {
    planReproduction(table, scale, nothing);
  } catch (error) {
    return (error as ProblemError).problems;
  }
  throw new Error('it was planned');
}

describe('a reproduction', () => {
  it('is planned as published, for the targets that are ours', () => {
    const { plans, changes, ours, repeat } = planReproduction(small, 1, nothing);
    expect(plans.map(({ target }) => target.name)).toEqual(['ws', 'uws', 'socketio']);
    expect(plans[0]?.options).toMatchObject({ subscribers: 470, broadcasts: 23, ratePerSecond: 20, payloadBytes: 97 });
    expect(plans[0]?.sources).toMatchObject({ subscribers: 'published', warmUp: 'default' });
    expect(changes).toEqual([]);
    expect(ours).toBe('ramp-rate 500/s · warm-up 10 · drain 5s');
    expect(repeat).toBe(3);
    expect(new Set(plans.map(({ fleet }) => fleet.seed)).size).toBe(1);
  });

  it('scales the clients alone, and says so', () => {
    const { plans, changes } = planReproduction(small, 0.1, nothing);
    expect(plans[0]?.options).toMatchObject({ subscribers: 47, broadcasts: 23, ratePerSecond: 20 });
    expect(changes).toEqual([{ option: 'subscribers', published: '470', here: '47' }]);
  });

  it('takes how to run from flags and environment, but never what to run', () => {
    const env = { RINGSIDE_SUBSCRIBERS: '7', RINGSIDE_TARGET: 'anycable', RINGSIDE_REPEAT: '5' };
    const { plans, repeat } = planReproduction(small, 1, { flags: { workers: '2' }, env, file: {} });
    expect(plans.map(({ target }) => target.name)).toEqual(['ws', 'uws', 'socketio']);
    expect(plans[0]).toMatchObject({ options: { subscribers: 470 }, load: { workers: 2 } });
    expect(repeat).toBe(5);
  });

  it('tells of a value that Ringside does not go below: the offline window', () => {
    const { plans, changes } = planReproduction(shipped('bench-jitter-10k-manifest'), 0.02, nothing);
    expect(plans[0]?.options).toMatchObject({ subscribers: 200, offlineMs: 2000, everyMs: 15_000 });
    expect(changes).toEqual([
      { option: 'subscribers', published: '10k', here: '200' },
      { option: 'offline', published: '1s', here: '2s' },
    ]);
  });

  it('keeps rooms as they are while there are clients enough, for a whisper goes to a room', () => {
    const whispers = shipped('bench-whispers-1k');
    expect(planReproduction(whispers, 0.2, nothing).plans[0]?.options).toMatchObject({ clients: 200, room: 100 });
    const { changes } = planReproduction(whispers, 0.05, nothing);
    expect(changes).toEqual([
      { option: 'clients', published: '1k', here: '50' },
      { option: 'room', published: '100', here: '50' },
    ]);
  });

  it('says of a table that counts its broadcasts no duration of ours', () => {
    const { ours, plans } = planReproduction(shipped('bench-throughput-10k'), 0.01, nothing);
    expect(plans[0]?.options).toMatchObject({ broadcasts: 100, ratePerSecond: 100, payloadBytes: 50, publishers: 16 });
    expect(ours).not.toContain('duration');
  });

  it('is refused where scenario or targets are not here', () => {
    expect(refusal(tablesOf(smallSource)[1] as PublishedTable)).toEqual([
      expect.objectContaining({
        message: 'small-steps: there is no scenario staircase here',
        hint: expect.stringContaining('ringside staircase --target ws --floors 13'),
      }),
    ]);
    expect(refusal(shipped('sockudo-500'))[0]?.message).toBe('sockudo-500 is about sockudo, soketi: no targets here');
    expect(refusal({ ...small, parameters: { colour: 'red' } })[0]?.message).toContain('colour');
  });

  it('of every table that can be planned goes through, whole and at a tenth', () => {
    for (const table of readPublished()) {
      for (const scale of [1, 0.1]) {
        try {
          const { plans } = planReproduction(table, scale, nothing);
          const { clients } = plans[0]?.scenario.demand(plans[0].options, plans[0].load) ?? {};
          expect(clients, table.id).toBeGreaterThan(0);
        } catch (error) {
          expect((error as Error).message, table.id).toMatch(/there is no scenario|no targets here/);
        }
      }
    }
  });
});
