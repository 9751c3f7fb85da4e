import type { Sum } from '../../measure/ledger.js';

/** What became of the clients that were cut. */
export const backSum: Sum = {
  whole: ['cut', 'clients cut'],
  parts: [
    ['proven', 'proven by a delivery'],
    ['backUnproven', 'back without one', 'open'],
    ['notBack', 'not back'],
  ],
};

/** What became of their attempts to come back. */
export const attemptSum: Sum = {
  whole: ['attempts', 'attempts to come back'],
  parts: [
    ['returns', 'came back', 'good'],
    ['failedAttempts', 'failed'],
    ['underWay', 'under way'],
  ],
};
