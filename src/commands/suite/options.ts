import { z } from 'zod';
import { fleetOptions } from '../../run/plan/run-options.js';

const { shards, localShards, token, resultsDir, trustDir, isJson, isMarkdown } = fleetOptions.shape;

/** Options of `suite run`: where it runs and what it is compared with. What runs is in the file. */
export const suiteOptions = z.strictObject({
  shards,
  localShards,
  token,
  resultsDir,
  trustDir,
  baselineDir: z.string().min(1).optional().meta({
    flag: 'baseline',
    placeholder: 'directory',
    help: 'compare with this kept suite, or the newest one in it',
  }),
  isLimitedAccepted: z.boolean().default(false).meta({
    flag: 'accept-limited',
    help: 'exit with 0 instead of 4 if no run is void',
  }),
  isJson,
  isMarkdown,
});

export type SuiteOptions = z.output<typeof suiteOptions>;
