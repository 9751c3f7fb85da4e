import { count } from '../../../src/units/words.js';
import type { Bench } from '../bench.js';
import { audienceJob, type ClientKind, withAudience } from '../processes/audience.js';
import { withTarget } from '../processes/target.js';

const clients = 15_000;

/** Resident memory per idle, subscribed client of our wire clients beside that of the real library, each kind in a process of its own. */
export const memory: Bench = {
  name: 'memory',
  bounds: ['idleMemory'],
  run: ({ signal }) =>
    withTarget(async (target) => {
      const bytesPerClient = async (client: ClientKind): Promise<number> => {
        const shape = { client, subscribers: clients, warmUp: 0, broadcasts: 1, ratePerSecond: 1 };
        const growth = await withAudience(audienceJob(target, shape), signal, (audience) => audience.ask('growth'));
        return growth / clients;
      };
      const wire = await bytesPerClient('wire');
      const library = await bytesPerClient('library');
      return [
        { bound: 'idleMemory', value: wire / library, detail: `${count(clients)} subscribed clients each` },
        { what: '  wire client', measured: `${count(Math.round(wire))} bytes`, detail: '' },
        { what: '  library client', measured: `${count(Math.round(library))} bytes`, detail: '' },
      ];
    }),
};
