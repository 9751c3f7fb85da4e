import { randomUUID } from 'node:crypto';
import { version } from '../contract/version.js';
import { readClockId, readMachine } from '../measure/rig/machine.js';

/** Who this bench-runner is: every result of it carries this. `bootId` is new with every start of the process. */
export interface Identity {
  bootId: string;
  clockId: string;
  version: string;
  machine: ReturnType<typeof readMachine>;
}

/** The identity of this process. */
export function createIdentity(): Identity {
  return { bootId: randomUUID(), clockId: readClockId(), version, machine: readMachine() };
}
