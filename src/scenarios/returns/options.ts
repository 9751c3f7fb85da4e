import { choice, duration } from '../options.js';
import { defaultBackoff } from './backoff.js';

/** How processes that Ringside started are ended. */
export const endedBy = choice('by', ['term', 'kill'], 'term', 'stop signal for processes Ringside started');

/** How clients come back, the same for every target and kind of client. */
export const returnOptions = {
  backoffMs: duration(
    'backoff',
    defaultBackoff.backoffMs,
    [1, 600_000],
    'base of the exponential backoff with full jitter',
  ),
  backoffMaxMs: duration('backoff-max', defaultBackoff.backoffMaxMs, [1, 600_000], 'longest wait between two attempts'),
};
