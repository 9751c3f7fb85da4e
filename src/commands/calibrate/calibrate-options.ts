import { z } from 'zod';
import { clientKinds } from '../../run/catalog.js';
import { fleetOptions } from '../../run/plan/run-options.js';

const grid = (flag: string, placeholder: string, help: string, values: string[]) =>
  z.array(z.string()).min(1).default(values).meta({ flag, placeholder, help });

/** Options of `calibrate`: the grid, the known truth, and the bound. */
export const calibrateOptions = z.strictObject({
  subscribers: grid('subscribers', 'count', 'subscribers of a point; repeatable', ['100', '1000', '3000']),
  rates: grid('rate', 'rate', 'broadcasts a second of a point; repeatable', ['10/s', '40/s']),
  payloads: grid('payload', 'size', 'length of a broadcast’s data of a point; repeatable', ['200b']),
  clients: z
    .array(z.string())
    .min(1)
    .default([...clientKinds])
    .meta({ flag: 'client', placeholder: clientKinds.join('|'), help: 'kind of clients of a point; repeatable' }),
  workers: grid('workers', 'count', 'event loops per shard of a point; repeatable', ['1']),
  targets: z
    .array(z.string())
    .min(1)
    .default(['metronome'])
    .meta({ flag: 'target', placeholder: 'name', help: 'metronome to hold the rig against; repeatable' }),
  orders: z.array(z.string()).default(['delay=uniform:5ms,50ms', 'drop=0.01', 'duplicate=0.01']).meta({
    flag: 'target-option',
    placeholder: 'key=value',
    help: 'what the metronome is told to do; repeatable, and what is given replaces all of the default',
  }),
  broadcasts: z.number().int().min(20).max(100_000).default(100).meta({
    flag: 'broadcasts',
    unit: 'count',
    help: 'measured broadcasts of a point',
  }),
  boundMs: z.number().min(0).max(60_000).default(1).meta({
    flag: 'bound',
    unit: 'duration',
    help: 'how far the measured p99 may be off at a load that is trusted',
  }),
  localShards: fleetOptions.shape.localShards,
  seed: fleetOptions.shape.seed,
  trustDir: fleetOptions.shape.trustDir,
  resultsDir: fleetOptions.shape.resultsDir,
  isJson: fleetOptions.shape.isJson,
});

export type CalibrateOptions = z.output<typeof calibrateOptions>;
