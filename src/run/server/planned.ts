import { type Problem, problem } from '../../contract/problems.js';
import { isPosted, publishWayOf } from '../../measure/declaration.js';
import { optionsOf } from '../../options/option.js';
import { ownProtocols, protocolByName, protocolOptions, protocolWith } from '../../protocols/list.js';
import { slotsOfUsers } from '../../protocols/users.js';
import { isPublishedByClients, verbProblems as lackingVerbs, protocolWithout } from '../../scenarios/job.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { ownServer } from '../../targets/launch/managed-server.js';
import { targetByName, targets } from '../../targets/list.js';
import type { Target } from '../../targets/target.js';
import { type TargetOptions, targetOptions } from '../plan/run-options.js';
import {
  type Asked,
  addressProblems,
  messageProblems,
  protocolOf,
  protocolValues,
  type RestartWay,
  restartWay,
  userProblems,
  withMessageOfFile,
} from './client-values.js';
import type { ExternalTarget } from './external-targets.js';

/** Returns the target of a run, from options and target files; undefined with its faults added to `problems`. */
export function targetOfRun(
  given: TargetOptions,
  own: readonly ExternalTarget[],
  asked: Asked,
  problems: Problem[],
): PlannedTarget | undefined {
  const { target: name, targetUrl: wsUrl, targetFiles = [] } = given;
  if (targetFiles.length > 0) {
    const beside = besides(given, ['target', 'targetFiles']);
    if (beside !== '') problems.push(problem('badOption', `${beside}: stands in the file of --target-file`));
    const found = chosen(name, own, asked.names.target, problems);
    return found && ownTarget(found, asked, problems);
  }
  if (wsUrl === undefined) return namedTarget(name, given, asked, problems);
  const planned = externalTarget({ name: new URL(wsUrl).host, wsUrl, options: given }, asked, problems);
  if (planned) problems.push(...inabilities(asked, planned));
  return planned;
}

/** Returns one of several targets by name, external or managed; undefined with faults added to `problems`. */
export function targetOfSeveral(
  name: string,
  own: readonly ExternalTarget[],
  asked: Asked,
  problems: Problem[],
): PlannedTarget | undefined {
  const found = own.find((each) => each.name === name);
  return found ? ownTarget(found, asked, problems) : namedTarget(name, {}, asked, problems);
}

/** Returns a target of a file for a trial, and whether it takes publishes; undefined with `problems` added. */
export function targetOfTrial(
  name: string | undefined,
  own: readonly ExternalTarget[],
  problems: Problem[],
): { planned: PlannedTarget; isPostedTo: boolean } | undefined {
  const found = chosen(name, own, '--target', problems);
  const planned = found && externalTarget(found, undefined, problems);
  return planned && { planned, isPostedTo: found.options.publishUrl !== undefined };
}

function chosen(
  asked: string | undefined,
  own: readonly ExternalTarget[],
  flag: string | undefined,
  problems: Problem[],
): ExternalTarget | undefined {
  const name = asked ?? (own.length === 1 ? own[0]?.name : undefined);
  const found = own.find((each) => each.name === name);
  const names = own.map((each) => each.name).join(', ');
  const text = `${flag}: expected one of --target-file (${names}), received ${name ?? 'nothing'}`;
  // An empty file is its own problem.
  if (!found && own.length > 0) problems.push(problem('badOption', text));
  return found;
}

function ownTarget(target: ExternalTarget, asked: Asked, problems: Problem[]): PlannedTarget | undefined {
  const found: Problem[] = [];
  const planned = externalTarget(target, asked, found);
  if (planned) found.push(...inabilities(asked, planned));
  problems.push(...found.map((each) => ({ ...each, message: `${target.name}: ${each.message}` })));
  return planned;
}

function namedTarget(
  name: string | undefined,
  given: TargetOptions,
  asked: Asked,
  problems: Problem[],
): PlannedTarget | undefined {
  const chosen = optionsOf(protocolOptions).flatMap(({ key, isOfClients }) => (isOfClients ? key : []));
  const beside = besides(given, ['target', 'metricsUrl', ...(chosen as (keyof TargetOptions)[])]);
  if (beside !== '') problems.push(problem('badOption', `${beside}: goes with --target-url, which is not given`));
  const nothing = '--target: expected a target to start, or --target-url with --protocol and --publish-url';
  const unknown = `${asked.names.target}: there is no target called ${JSON.stringify(name)}`;
  const target = targetByName(name ?? '');
  if (name === undefined) problems.push(problem('badOption', nothing));
  else if (!target) problems.push(problem('unknownName', unknown));
  if (name === undefined || !target) return undefined;
  const { protocol } = target;
  const { metricsUrl } = given;
  const ofClients = Object.fromEntries(chosen.map((key) => [key, given[key as keyof TargetOptions]]));
  const ofProtocol = protocolValues({ ...ofClients, protocol }, problems);
  const planned = {
    isOurs: true,
    name,
    protocol,
    target,
    options: {},
    protocolOptions: ofProtocol,
    metricsUrl,
  } as const;
  problems.push(...inabilities(asked, planned));
  return planned;
}

/** Returns the options that stand beside these, as flags. */
function besides(given: TargetOptions, but: readonly (keyof TargetOptions)[]): string {
  return optionsOf(targetOptions)
    .filter(({ key }) => given[key as keyof TargetOptions] !== undefined && !but.includes(key as keyof TargetOptions))
    .map(({ flag }) => `--${flag}`)
    .join(', ');
}

const publishesByItself = (target: Target): boolean => anyEndpoints(target).inProcessUrl !== undefined;
const anyEndpoints = (target: Target) => target.endpoints({ host: '127.0.0.1', port: 1 });

export const publishersByThemselves = targets.filter(publishesByItself).map(({ name }) => name);

/** Lists what a target lacks for a scenario: verbs, or a way to publish. */
function inabilities({ scenario, options }: Asked, planned: PlannedTarget): Problem[] {
  const { protocolOptions: values = {} } = planned;
  const verbs = targetVerbProblems(scenario, planned.isOurs ? planned.target : planned, options, values);
  const way = publishWayOf(scenario, options);
  const { inProcessUrl, publishUrl } = planned.isOurs ? anyEndpoints(planned.target) : planned;
  if (way === 'in-process' && inProcessUrl === undefined) {
    const able = publishersByThemselves.join(', ');
    const message =
      planned.isOurs && !planned.target.isBrought
        ? `--target: expected one that publishes by itself (${able}), received ${planned.name}`
        : '--in-process-url: expected an http:// or https:// address, received nothing';
    return [...verbs, problem('missingEndpoint', message)];
  }
  const protocol = protocolByName(planned.protocol);
  if (way !== 'batches' || !protocol?.batching || protocol.batching(values, new URL(publishUrl))) return verbs;
  const message = `--publish-url: expected an address that takes batches of ${protocol.name}, received ${publishUrl}`;
  return [...verbs, problem('missingEndpoint', message, 'Leave its path out, or choose --publish http.')];
}

function externalTarget(
  { name, wsUrl, options: addresses, server }: ExternalTarget,
  asked: Asked | undefined,
  problems: Problem[],
): PlannedTarget | undefined {
  const bare = asked && protocolWithout(asked.scenario, asked.options);
  const { protocol: _, ...given } = addresses;
  const protocol = protocolOf(addresses) ?? bare;
  const spoken = protocolByName(protocol ?? '');
  const wrong = (text: string): void => void problems.push(problem('badOption', text));
  if (!spoken) wrong(`--protocol: expected one of \`ringside list protocols\`, received ${protocol ?? 'nothing'}`);
  problems.push(...addressProblems(wsUrl));
  // Without posts, the unused publish address is that of the target.
  const ofProtocol = withMessageOfFile(protocolValues({ ...given, protocol }, problems), problems);
  problems.push(...messageProblems(protocol ?? '', ofProtocol, slotsOfUsers(ofProtocol)));
  const isUsed =
    asked !== undefined &&
    isPosted(publishWayOf(asked.scenario, asked.options)) &&
    !isPublishedByClients(asked.scenario, protocolWith(protocol ?? '', ofProtocol), asked.options);
  const publishUrl = given.publishUrl ?? (isUsed ? undefined : wsUrl.replace(/^ws/i, 'http'));
  if (publishUrl === undefined)
    wrong(
      `--publish-url: expected an http:// or https:// address, to which ${asked?.scenario.name} posts; received nothing`,
    );
  if (spoken) problems.push(...userProblems(spoken, ofProtocol, [wsUrl], asked));
  // Ringside can restart a server that it starts.
  const restart = server || !asked ? undefined : restartWay(given, asked.scenario, problems);
  if (protocol === undefined || publishUrl === undefined) return undefined;
  const publishHeaders: Record<string, string> =
    given.publishToken === undefined ? {} : { authorization: `Bearer ${given.publishToken}` };
  const common = { name, protocol, protocolOptions: ofProtocol, publishHeaders };
  if (server) return { ...common, isOurs: true, target: ownServer({ ...server, name, protocol }), options: {} };
  const { inProcessUrl, statsUrl, metricsUrl } = given;
  return { ...common, isOurs: false, wsUrl, publishUrl, inProcessUrl, statsUrl, metricsUrl, restart };
}

/** A target of a plan: managed (`isOurs`) or external. */
export type PlannedTarget =
  | {
      isOurs: true;
      name: string;
      protocol: string;
      target: Target;
      options: Record<string, unknown>;
      protocolOptions?: Record<string, unknown>;
      metricsUrl?: string | undefined;
      publishHeaders?: Record<string, string>;
    }
  | {
      isOurs: false;
      name: string;
      protocol: string;
      protocolOptions: Record<string, unknown>;
      wsUrl: string;
      publishUrl: string;
      inProcessUrl?: string | undefined;
      statsUrl: string | undefined;
      metricsUrl?: string | undefined;
      publishHeaders: Record<string, string>;
      restart?: RestartWay | undefined;
    };

/** Lists the abilities that a target lacks for a scenario with these options. */
export function targetVerbProblems(
  scenario: Scenario,
  target: Pick<Target, 'name' | 'protocol' | 'lacks'>,
  options?: Record<string, unknown>,
  protocolOptions?: Record<string, unknown>,
): Problem[] {
  const protocol = protocolByName(target.protocol);
  const given = { options, protocolOptions, target };
  return protocol ? lackingVerbs(scenario, protocol, given, alternativesTo(scenario, options)) : [];
}

function alternativesTo(scenario: Scenario, options: Record<string, unknown> | undefined): string | undefined {
  const needed = scenario.needs(options);
  const able = ownProtocols.filter(({ verbs }) => needed.every((verb) => verbs.includes(verb))).map(({ name }) => name);
  if (able.length === 0) return undefined;
  const speaking = targets.filter(
    ({ protocol, lacks, isKnownTruth }) =>
      able.includes(protocol) && !needed.some((verb) => lacks?.includes(verb)) && !isKnownTruth,
  );
  const names = speaking.map(({ name }) => name).join(', ');
  const ofTargets = names === '' ? '' : `; targets that speak them: ${names}`;
  return `Protocols that support it: ${able.join(', ')}${ofTargets}.`;
}
