import { type ClientEvents, sendFate } from '../../src/protocols/protocol.js';
import type { FakeClock } from './fake-clock.js';

/** A send that was handed over ahead. */
interface Handed {
  client: number;
  token: number;
  dueNs: number;
}

/** A value of `sendFate` for a send of that client when it is due. */
export type FateOf = (client: number) => number;

export const allSent: FateOf = () => sendFate.sent;

/** For tests: has a send leave at its instant, or meet its fate then, and tells of it as an engine does. */
export function leaveAtInstant(
  { clock, told }: { clock: FakeClock; told(): ClientEvents },
  { client, token, dueNs }: Handed,
  fateOf: FateOf,
  leave: () => void,
): void {
  clock.at(dueNs, () => {
    const fate = fateOf(client);
    const atNs = Float64Array.of(clock.nowNs());
    told().sends?.({
      count: 1,
      ...{ client: Int32Array.of(client), token: Int32Array.of(token) },
      ...{ sentAtNs: atNs, writtenAtNs: atNs, fate: Uint8Array.of(fate) },
    });
    if (fate === sendFate.sent) leave();
  });
}
