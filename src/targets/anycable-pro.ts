import { binaryOf } from './launch/anycable-binary.js';
import { anycableServer } from './launch/anycable-server.js';

/** AnyCable Pro: `ANYCABLE_GO_PRO_BIN` and nothing else, so that no open-source binary passes for it. */
export const anycablePro = anycableServer({
  name: 'anycable-pro',
  summary: 'AnyCable Pro with its in-memory broker',
  find: () => binaryOf('ANYCABLE_GO_PRO_BIN') ?? { why: 'ANYCABLE_GO_PRO_BIN names no binary' },
  hint: 'Set ANYCABLE_GO_PRO_BIN to an AnyCable Pro binary.',
});
