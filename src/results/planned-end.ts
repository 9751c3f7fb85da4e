import { type StopCode, stopReasons } from '../contract/stop-reasons.js';
import type { Declaration } from '../measure/declaration.js';

/** Whether a stop reason is what the scenario went to find, or the end it was planned to have. */
export function isPlannedEnd(code: StopCode, { isCapacity }: Pick<Declaration, 'isCapacity'>): boolean {
  const reason: { isComplete: boolean; isFinding?: boolean } = stopReasons[code];
  return reason.isComplete || (isCapacity === true && reason.isFinding === true);
}
