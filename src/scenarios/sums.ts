import { sumOf } from '../measure/ledger.js';

/** What became of the clients that a run asks for. */
export const openedSum = sumOf(['asked', 'clients asked'], { opened: 'opened', notOpened: 'not opened' });

/** What became of the clients that were cut. */
export const backSum = sumOf(['cut', 'clients cut'], {
  proven: 'proven by a delivery',
  backUnproven: ['back without one', 'open'],
  notBack: 'not back',
});

/** What became of their attempts to come back. */
export const attemptSum = sumOf(['attempts', 'attempts to come back'], {
  returns: ['came back', 'good'],
  failedAttempts: 'failed',
  underWay: 'under way',
});
