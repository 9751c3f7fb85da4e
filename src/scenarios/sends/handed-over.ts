import type { Clients } from '../../protocols/protocol.js';

/** Whether the kernel has what this client sent, as far as its engine or library tells. Nothing waits in most runs. */
export function isHandedOver(clients: Clients | undefined, client: number): boolean {
  return (clients?.unsent?.(client) ?? 0) === 0;
}
