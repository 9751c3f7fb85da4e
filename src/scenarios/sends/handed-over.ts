import type { Clients } from '../../protocols/protocol.js';

/** Whether the kernel has what this client sent, as far as its engine or library tells. Nothing waits in most runs. */
export function isHandedOver(clients: Clients | undefined, client: number): boolean {
  return (clients?.unsent?.(client) ?? 0) === 0;
}

/**
 * When a send of the client had left that the kernel did not have within the call: an engine with threads writes a
 * moment later. Later sends make it later, so that it bounds from below what came since. 0 while it is unknown.
 */
export function leftLaterAtNs(clients: Clients | undefined, client: number): number {
  const atNs = clients?.leftAtNs?.(client) ?? Number.POSITIVE_INFINITY;
  return Number.isFinite(atNs) ? atNs : 0;
}
