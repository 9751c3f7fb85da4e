import { count } from '../../../src/units/words.js';
import { type Bench, type Bound, print } from '../bench.js';
import { audienceJob, type ClientKind, withAudience } from '../processes/audience.js';
import { withTarget } from '../processes/places.js';

const clients = 15_000;

const idle: Bound = { what: 'memory per idle client, wire client / library client', atMost: 0.75, print: print.ratio };

/** Resident memory per idle, subscribed client: wire clients beside the real library, in separate processes. */
export const memory: Bench = {
  name: 'memory',
  bounds: [idle],
  run: ({ signal }) =>
    withTarget(async (target) => {
      const bytesPerClient = async (client: ClientKind): Promise<number> => {
        const growth = await withAudience(audienceJob(target, client, clients), signal, (audience) =>
          audience.ask('growth'),
        );
        return growth / clients;
      };
      const wire = await bytesPerClient('wire');
      const library = await bytesPerClient('library');
      return [
        { bound: idle, value: wire / library, detail: `${count(clients)} subscribed clients each` },
        { what: '  wire client', measured: print.bytes(wire), detail: '' },
        { what: '  library client', measured: print.bytes(library), detail: '' },
      ];
    }),
};
