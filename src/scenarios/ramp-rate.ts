import { z } from 'zod';

/** The option of scenarios that open their clients before the subject of the test begins. */
export const rampRatePerSecond = z.number().positive().max(1e6).default(500).meta({
  flag: 'ramp-rate',
  unit: 'rate',
  help: 'clients opened per second, all shards together, evenly spaced',
});
