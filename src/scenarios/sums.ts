import { sumOf } from '../measure/ledger.js';

export const openedSum = sumOf(['asked', 'clients asked'], { opened: 'opened', notOpened: 'not opened' });

export const backSum = sumOf(['cut', 'clients cut'], {
  proven: 'proven by a delivery',
  backUnproven: ['back without one', 'open'],
  notBack: 'not back',
});

export const attemptSum = sumOf(['attempts', 'attempts to come back'], {
  returns: ['came back', 'good'],
  failedAttempts: 'failed',
  underWay: 'under way',
});
