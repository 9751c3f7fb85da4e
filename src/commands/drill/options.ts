import { z } from 'zod';
import { protocolOptions } from '../../protocols/list.js';
import { fleetOptions, targetOptions } from '../../run/plan/run-options.js';
import { shardOptions } from '../../run/plan/shard-options.js';
import { loadOptions } from '../../scenarios/load-options.js';

const { localShards, isJson } = fleetOptions.shape;
const { targetUrl, protocol, publishUrl, publishToken } = targetOptions.shape;
const { engine, caPem, isInsecure } = loadOptions.shape;

/** Options of the target whose path the drill measures, if one is given. */
export const pathOptions = z.strictObject({
  ...{ targetUrl, protocol, publishUrl, publishToken },
  ...protocolOptions.shape,
  ...{ caPem, isInsecure },
});

/** Options of `drill`: the fleet, the engine, and a target whose path it measures. */
export const drillOptions = z.strictObject({
  ...shardOptions.shape,
  ...{ localShards, engine },
  ...pathOptions.shape,
  isJson,
});

export type DrillOptions = z.output<typeof drillOptions>;
