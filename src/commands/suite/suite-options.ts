import { z } from 'zod';
import { fleetOptions } from '../../run/plan/run-options.js';

const { shards, localShards, token, resultsDir, trustDir, isJson, isMarkdown } = fleetOptions.shape;

/** Options of `suite run`: on what it runs, and what it is held against. What is run stands in the file alone. */
export const suiteOptions = z.strictObject({
  shards,
  localShards,
  token,
  resultsDir,
  trustDir,
  baselineDir: z.string().min(1).optional().meta({
    flag: 'baseline',
    placeholder: 'directory',
    help: 'a kept suite, or where the newest of several lies, whose entries of the same name and shape these are held against; in place of the file’s',
  }),
  previousDir: z.string().min(1).optional().meta({
    flag: 'previous',
    placeholder: 'directory',
    help: 'the same, for one that is run again and again: an entry that was worse the last time is held once more against what it was held against then',
  }),
  isLimitedAccepted: z.boolean().default(false).meta({
    flag: 'accept-limited',
    help: 'exit with 0 in place of 4 where the rig may be in some numbers but no run is void: on a machine that targets and rig share it often is',
  }),
  isJson,
  isMarkdown,
});

export type SuiteOptions = z.output<typeof suiteOptions>;
