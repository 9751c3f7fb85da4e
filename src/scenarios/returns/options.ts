import { z } from 'zod';

/** How the processes of a target of ours are ended. */
export const endings = ['term', 'kill'] as const;

/** How clients come back that no library brings back, the same for every target. */
export const returnOptions = {
  backoffMs: z.number().int().min(1).max(600_000).default(500).meta({
    flag: 'backoff',
    unit: 'duration',
    help: 'a client’s wait before its first attempt to come back is drawn from zero to this, before the next from zero to twice as much, and so on; a library that reconnects keeps to its own waits',
  }),
  backoffMaxMs: z.number().int().min(1).max(600_000).default(5000).meta({
    flag: 'backoff-max',
    unit: 'duration',
    help: 'the longest such wait',
  }),
};
