import { z } from 'zod';
import { defaultBackoff } from './backoff.js';

/** How the processes of a target of ours are ended. */
export const endings = ['term', 'kill'] as const;

/** How clients come back, the same for every target and kind of client. */
export const returnOptions = {
  backoffMs: z.number().int().min(1).max(600_000).default(defaultBackoff.backoffMs).meta({
    flag: 'backoff',
    unit: 'duration',
    help: 'a client’s first wait is drawn from zero to this, then doubled',
  }),
  backoffMaxMs: z.number().int().min(1).max(600_000).default(defaultBackoff.backoffMaxMs).meta({
    flag: 'backoff-max',
    unit: 'duration',
    help: 'the longest wait that a client can draw',
  }),
};
