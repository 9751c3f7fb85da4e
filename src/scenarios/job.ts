import type { z } from 'zod';
import type { Demand } from '../contract/bodies.js';
import { type jobRequest, readRequest } from '../contract/job.js';
import { type Problem, ProblemError, problem } from '../contract/problems.js';
import { publishWayOf } from '../measure/declaration.js';
import { validateOptions } from '../options/resolve.js';
import { protocolByName, protocolOptionsOf, protocolWith } from '../protocols/list.js';
import { raw } from '../protocols/messages/index.js';
import type { Protocol, ProtocolValues } from '../protocols/protocol.js';
import { faultsOfUsers } from '../protocols/users.js';
import { parseAddressRanges } from '../units/addresses.js';
import { betweenIdentities, identityFault, isMap, pemFault } from '../units/text.js';
import { scenarioByName } from './list.js';
import { type LoadOptions, loadOptions } from './load-options.js';
import type { Scenario } from './scenario.js';

interface Given {
  options?: Record<string, unknown> | undefined;
  protocolOptions?: ProtocolValues | undefined;
  target?: { name: string; lacks?: readonly string[] } | undefined;
}

/** Returns a problem for each verb that a scenario needs and that the protocol or the target lacks. */
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

/** Describes a job that a shard can run: every name resolved, every value checked. */
export interface Job extends Omit<z.output<typeof jobRequest>, 'options' | 'load' | 'scenario'> {
  scenario: Scenario;
  options: Record<string, unknown>;
  load: LoadOptions;
  demand: Demand;
}

/** Checks a job body against the scenario that `scenarioNamed` finds. Throws `ProblemError` with every problem. */
export function resolveJob(body: unknown, scenarioNamed: (name: string) => Scenario | undefined): Job {
  const { request, problems } = readRequest(body);
  const raw = isMap(body) ? body : {};
  const scenario = typeof raw.scenario === 'string' ? scenarioNamed(raw.scenario) : undefined;
  const protocol = typeof raw.protocol === 'string' ? protocolByName(raw.protocol) : undefined;
  if (typeof raw.scenario === 'string' && !scenario) problems.push(unknownName('scenario', raw.scenario));
  if (typeof raw.protocol === 'string' && !protocol) problems.push(unknownName('protocol', raw.protocol));
  // `readRequest` already reports options that are not an object.
  const options = scenario && validateOptions(scenario.options, isMap(raw.options) ? raw.options : {});
  const given = options?.ok ? (options.values as Record<string, unknown>) : undefined;
  const protocolOptions = isMap(raw.protocolOptions) ? raw.protocolOptions : {};
  if (scenario && protocol) problems.push(...verbProblems(scenario, protocol, { options: given, protocolOptions }));
  for (const { key, text } of protocol?.faults?.(protocolOptions) ?? [])
    problems.push(problem('badBody', `protocolOptions.messages.${key}: ${text}`));
  const way = scenario && given && publishWayOf(scenario, given);
  if (way === 'in-process' && request && request.target.inProcessUrl === undefined)
    problems.push(problem('badBody', 'target.inProcessUrl: expected an http:// or https:// address, received nothing'));
  if (way === 'batches' && request && protocol?.batching) {
    const { publishUrl, furtherPublishUrls } = request.target;
    const strays = [publishUrl, ...furtherPublishUrls].filter(
      (url) => !protocol.batching?.(protocolOptions, new URL(url)),
    );
    if (strays.length > 0) problems.push(problem('badBody', 'target.publishUrl: expected one that takes batches'));
  }
  if (scenario && request && request.modules.length > 0 !== (scenario.runsModules ?? false)) {
    const expected = scenario.runsModules ? 'at least one' : 'none';
    problems.push(problem('badBody', `modules: expected ${expected} for ${scenario.name}`));
  }
  const load = validateOptions(loadOptions, isMap(raw.load) ? raw.load : {});
  const ofProtocol = protocol && validateOptions(protocolOptionsOf(protocol), protocolOptions);
  for (const [place, checked] of Object.entries({ options, load, protocolOptions: ofProtocol })) {
    if (!checked || checked.ok) continue;
    for (const { option, expected, received } of checked.issues)
      problems.push(problem('badBody', `${place}.${option}: expected ${expected}, received ${received}`));
  }
  if (load.ok) problems.push(...loadProblems(load.values));
  if (request && load.ok && scenario && given && protocol && ofProtocol?.ok) {
    const { clients } = scenario.demand(given, load.values);
    const publishing =
      publishersOf(scenario, protocolWith(protocol.name, protocolOptions), given, load.values) * request.slice.of;
    const asked = { wsUrls: request.target.wsUrls, clients: clients + publishing };
    for (const { flag, text } of faultsOfUsers(protocolOptionsOf(protocol), ofProtocol.values, asked))
      problems.push(problem('badBody', `--${flag}: ${text}`));
  }
  if (problems.length > 0 || !request || !scenario || !given || !load.ok) throw new ProblemError(problems);
  return { ...request, scenario, options: given, load: load.values, demand: scenario.demand(given, load.values) };
}

/** Checks load options that no schema can check, because the same option is a file name on the command line. */
function loadProblems({ localAddresses, caPem, targetCert }: LoadOptions): Problem[] {
  const faults = parseAddressRanges(localAddresses).errors.map((text) => `load.localAddresses: ${text}`);
  const ofPem = caPem === undefined ? undefined : pemFault(caPem);
  if (ofPem !== undefined) faults.push(`load.caPem: expected certificates in PEM, received none (${ofPem})`);
  const ofPair = targetCert
    ?.split(betweenIdentities)
    .map(identityFault)
    .find((fault) => fault !== undefined);
  if (ofPair !== undefined) faults.push(`load.targetCert: expected certificates with keys in PEM (${ofPair})`);
  return faults.map((text) => problem('badBody', text));
}

function unknownName(kind: string, name: string): Problem {
  return problem('unknownName', `${kind}: there is none called ${JSON.stringify(name)}`);
}

/** Checks a whole job body. Throws `ProblemError` with every problem at once. */
export function parseJob(body: unknown): Job {
  return resolveJob(body, scenarioByName);
}
