import { z } from 'zod';
import { clientKinds } from '../../run/catalog.js';
import { fleetOptions } from '../../run/plan/run-options.js';

const { localShards, seed, trustDir, resultsDir, isJson } = fleetOptions.shape;
const grid = (flag: string, placeholder: string, help: string, values: string[]) =>
  z.array(z.string()).min(1).default(values).meta({ flag, placeholder, help });

/** Options of `calibrate`: the grid, the known truth, and the bound. */
export const calibrateOptions = z.strictObject({
  subscribers: grid('subscribers', 'count', 'subscribers to measure with; repeatable', ['100', '1000', '3000']),
  rates: grid('rate', 'rate', 'broadcasts per second to measure with; repeatable', ['10/s', '40/s']),
  payloads: grid('payload', 'size', 'payload to measure with; repeatable', ['200b']),
  clients: grid('client', clientKinds.join('|'), 'kind of clients to measure with; repeatable', [...clientKinds]),
  workers: grid('workers', 'count', 'event loops per shard to measure with; repeatable', ['1']),
  targets: grid('target', 'name', 'metronome to measure: a target of known behaviour; repeatable', ['metronome']),
  orders: z.array(z.string()).default(['delay=uniform:5ms,50ms', 'drop=0.01', 'duplicate=0.01']).meta({
    flag: 'target-option',
    placeholder: 'key=value',
    help: 'behaviour of the metronome; repeatable, replaces the whole default',
  }),
  broadcasts: z.number().int().min(20).max(100_000).default(100).meta({
    flag: 'broadcasts',
    unit: 'count',
    help: 'broadcasts of each run',
  }),
  boundMs: z.number().min(0).max(60_000).default(1).meta({
    flag: 'bound',
    unit: 'duration',
    help: 'largest error of the p99 at a trusted load',
  }),
  localShards,
  seed,
  trustDir,
  resultsDir,
  isJson,
});

export type CalibrateOptions = z.output<typeof calibrateOptions>;
