import { z } from 'zod';
import { loadOptions } from '../../run/catalog.js';
import { compareOptions, fleetOptions } from '../../run/plan/run-options.js';

/** Options that `reproduce` alone has. */
export const ownReproduceOptions = z.strictObject({
  scale: z.number().positive().max(1).default(1).meta({
    flag: 'scale',
    placeholder: 'share',
    help: 'share of the published clients to make: 0.1 of 10,000 are 1,000; all else stays as published, and what does not is printed',
  }),
  repeat: compareOptions.shape.repeat,
  isList: z.boolean().default(false).meta({
    flag: 'list',
    help: 'list the published tables that hold all of the given words: scenario, targets, and whether each can run here',
  }),
  publishedDir: z.string().optional().meta({
    flag: 'published',
    placeholder: 'directory',
    help: 'where published figures are read from; by default those that come with Ringside',
  }),
});

/** Options of `reproduce`: what stands in the source is no option of it. */
export const reproduceOptions = z.strictObject({
  ...ownReproduceOptions.shape,
  ...loadOptions.shape,
  ...fleetOptions.shape,
});

export type ReproduceOptions = z.output<typeof reproduceOptions>;
