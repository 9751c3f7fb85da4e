import { count } from '../../src/units/words.js';

/** What the rig promises of itself. A figure keeps its bound when it is `atMost` or less. */
export interface Bound {
  what: string;
  atMost: number;
  print(value: number): string;
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(2)} MB`;
const milliseconds = (ms: number): string => `${Math.round(ms)} ms`;
const ratio = (value: number): string => `${value.toFixed(2)} x`;

/** Every bound of the rig, in the order in which the table shows them. */
export const bounds = {
  deliveryCpu: { what: 'CPU per delivery, wire client / library client', atMost: 0.75, print: ratio },
  openingCpu: { what: 'CPU per connection opened, wire client / library client', atMost: 0.55, print: ratio },
  idleMemory: { what: 'memory per idle client, wire client / library client', atMost: 0.75, print: ratio },
  shardMemory: {
    what: 'memory of a whole bench-runner per held connection',
    atMost: 6000,
    print: (bytes) => `${count(Math.round(bytes))} bytes`,
  },
  mergeTime: {
    what: 'decode and merge 50 shard bodies of 1,000,000 samples',
    atMost: 6000,
    print: (ms) => `${(ms / 1000).toFixed(2)} s`,
  },
  mergeMemory: {
    what: 'peak memory of the process that merges them',
    atMost: 1.5e9,
    print: (bytes) => `${(bytes / 1e9).toFixed(2)} GB`,
  },
  bodySize: { what: 'one shard body of 1,200,000 samples', atMost: 3e6, print: megabytes },
  driverCpu: {
    what: 'driver CPU while the shards publish',
    atMost: 0.05,
    print: (cores) => `${(cores * 100).toFixed(1)} % of a core`,
  },
  help: { what: 'ringside --help, best of 5', atMost: 300, print: milliseconds },
  reportTime: {
    what: 'the report of a run of 5,000,000 samples',
    atMost: 5000,
    print: (ms) => `${(ms / 1000).toFixed(2)} s`,
  },
  reportSize: { what: 'its page', atMost: 3e6, print: megabytes },
  footing: { what: 'broken sums in the ledger of 10,000 subscribers over 2 shards', atMost: 0, print: count },
} as const satisfies Record<string, Bound>;

export type BoundName = keyof typeof bounds;
