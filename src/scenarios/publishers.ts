import { publishWayOf } from '../measure/declaration.js';
import type { Protocol } from '../protocols/protocol.js';
import type { LoadOptions } from './load-options.js';
import type { Scenario } from './scenario.js';

/** Whether clients of this protocol publish what the scenario would post for others. */
export function isPublishedByClients(
  scenario: Pick<Scenario, 'publishes' | 'publishWay'>,
  protocol: Pick<Protocol, 'publishesByClients'> | undefined,
  options: Record<string, unknown>,
): boolean {
  return publishWayOf(scenario, options) === 'http' && protocol?.publishesByClients !== undefined;
}

/** How many clients of each shard publish. */
export function publishersOf(
  scenario: Scenario,
  protocol: Protocol | undefined,
  options: Record<string, unknown>,
  load: LoadOptions,
): number {
  return isPublishedByClients(scenario, protocol, options) ? 1 : (scenario.publishingClients?.(options, load) ?? 0);
}
