import type { Clients } from '../../protocols/protocol.js';
import type { AudienceContext } from '../scenario.js';

/** When what a client is being told came; now where its library does not show that. */
export function arrivedAtNs(
  clients: Clients | undefined,
  client: number,
  { nowNs }: Pick<AudienceContext<unknown>, 'nowNs'>,
): number {
  return clients?.arrivedAtNs?.(client) ?? nowNs();
}
