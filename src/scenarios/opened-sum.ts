import type { Sum } from '../measure/ledger.js';

/** What became of the clients that a run asks for. */
export const openedSum: Sum = {
  whole: ['asked', 'clients asked'],
  parts: [
    ['opened', 'opened'],
    ['notOpened', 'not opened'],
  ],
};
