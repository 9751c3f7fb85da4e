import type { Cause } from '../wire/wire.js';
import type { Protocol } from './protocol.js';

const ofCloseFrame = /^close-code:(\d+)$/;

/** A cause as a run counts it: that of a close frame with what its code means to the protocol. */
export function toldCause({ closeMeaning }: Pick<Protocol, 'closeMeaning'>, cause: Cause): Cause {
  const code = closeMeaning && ofCloseFrame.exec(cause)?.[1];
  const meaning = code === undefined ? undefined : closeMeaning?.(Number(code));
  return meaning === undefined ? cause : `${cause} ${meaning}`;
}
