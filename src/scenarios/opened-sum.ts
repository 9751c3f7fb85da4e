import { type Sum, sumOf } from '../measure/ledger.js';

/** What became of the clients that a run asks for. */
export const openedSum: Sum = sumOf(['asked', 'clients asked'], { opened: 'opened', notOpened: 'not opened' });
