import { type Problem, problem } from '../contract/problems.js';
import { publishWayOf } from '../measure/declaration.js';
import type { Protocol, ProtocolValues } from '../protocols/protocol.js';
import { raw } from '../protocols/raw.js';
import type { LoadOptions } from './load-options.js';
import type { Scenario } from './scenario.js';

/** Holds the settings of a scenario's run: its options if known, those of the protocol, and the target. */
interface Given {
  options?: Record<string, unknown> | undefined;
  protocolOptions?: ProtocolValues | undefined;
  /** Verbs of the protocol that a target lacks. */
  target?: { name: string; lacks?: readonly string[] } | undefined;
}

/**
 * Returns a problem for each verb that a scenario needs and that the protocol, with its options, or the target lacks.
 */
export function verbProblems(
  { name, needs }: Pick<Scenario, 'name' | 'needs'>,
  protocol: Pick<Protocol, 'name' | 'verbs' | 'withoutVerb'>,
  { options, protocolOptions = {}, target }: Given = {},
  hint?: string,
): Problem[] {
  return needs(options).flatMap((verb) => {
    const lacked = (by: string, way = hint) =>
      problem('missingVerb', `scenario ${name} needs "${verb}", which ${by}`, way);
    const refusal = protocol.withoutVerb?.(verb, protocolOptions);
    if (refusal) return lacked(`protocol ${protocol.name} lacks ${refusal.where}`, refusal.hint);
    if (!protocol.verbs.includes(verb)) return lacked(`protocol ${protocol.name} lacks`);
    return target?.lacks?.includes(verb) ? lacked(`target ${target.name} lacks`) : [];
  });
}

/** Returns the protocol of a target that names none. A scenario that needs no verb runs on any WebSocket server. */
export function protocolWithout(
  { needs }: Pick<Scenario, 'needs'>,
  options: Record<string, unknown>,
): string | undefined {
  return needs(options).length === 0 ? raw.name : undefined;
}

/** Returns true if clients of this protocol publish in place of the scenario's HTTP requests. */
export function isPublishedByClients(
  scenario: Pick<Scenario, 'publishes' | 'publishWay'>,
  protocol: Pick<Protocol, 'publishesByClients'> | undefined,
  options: Record<string, unknown>,
): boolean {
  return publishWayOf(scenario, options) === 'http' && protocol?.publishesByClients !== undefined;
}

/** Returns the number of clients of each shard that publish. */
export function publishersOf(
  scenario: Scenario,
  protocol: Protocol | undefined,
  options: Record<string, unknown>,
  load: LoadOptions,
): number {
  return isPublishedByClients(scenario, protocol, options) ? 1 : (scenario.publishingClients?.(options, load) ?? 0);
}
