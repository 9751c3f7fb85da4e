import { z } from 'zod';
import { loadOptions } from '../../run/catalog.js';
import { switchOf } from '../../run/plan/option-kinds.js';
import { compareOptions, fleetOptions } from '../../run/plan/run-options.js';

export const ownReproduceOptions = z.strictObject({
  scale: z.number().positive().max(1).default(1).meta({
    flag: 'scale',
    placeholder: 'share',
    help: 'share of the published clients: 0.1 of 10,000 makes 1,000',
  }),
  time: z.number().positive().max(1).default(1).meta({
    flag: 'time',
    placeholder: 'share',
    help: 'share of the published length: broadcasts, samples, stages and holds',
  }),
  repeat: compareOptions.shape.repeat,
  isList: switchOf('list', 'list published tables, or those with all given words'),
  publishedDir: z.string().optional().meta({
    flag: 'published',
    placeholder: 'directory',
    help: 'directory of published figures; by default those of Ringside',
  }),
});

/** Options of `reproduce`. The source sets the shape of the load. */
export const reproduceOptions = z.strictObject({
  ...ownReproduceOptions.shape,
  ...loadOptions.shape,
  ...fleetOptions.shape,
});

export type ReproduceOptions = z.output<typeof reproduceOptions>;
