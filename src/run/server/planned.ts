import { type Problem, problem } from '../../contract/problems.js';
import { isPosted, publishWayOf } from '../../measure/declaration.js';
import { optionsOf } from '../../options/option.js';
import { ownProtocols, protocolByName, protocolOptions, protocolWith } from '../../protocols/list.js';
import type { Protocol } from '../../protocols/protocol.js';
import { slotsOfUsers } from '../../protocols/users/faults.js';
import { isPublishedByClients, verbProblems as lackingVerbs, protocolWithout } from '../../scenarios/job.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { targetByName, targets } from '../../targets/list.js';
import { ownServer } from '../../targets/own-server.js';
import type { Target } from '../../targets/target.js';
import { type TargetOptions, targetOptions } from '../plan/run-options.js';
import { type Asked, addressProblems, protocolValues, userProblems } from './client-values.js';
import type { ExternalTarget } from './external-targets.js';
import { messageProblems, protocolOf, withMessageOfFile } from './own-start.js';
import { type RestartWay, restartWay } from './restart-external.js';

/** Returns the target of a run, from options and target files; undefined with its faults added to `problems`. */
export function targetOfRun(
  given: TargetOptions,
  own: readonly ExternalTarget[],
  asked: Asked,
  problems: Problem[],
): PlannedTarget | undefined {
  if ((given.targetFiles ?? []).length > 0) return targetOfFiles(given, own, asked, problems);
  if (given.targetUrl === undefined) return namedTarget(given.target, given, asked, problems);
  return ableTo(
    asked,
    externalTarget(new URL(given.targetUrl).host, given, given.targetUrl, asked, problems),
    problems,
  );
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

function targetOfFiles(
  given: TargetOptions,
  own: readonly ExternalTarget[],
  asked: Asked,
  problems: Problem[],
): PlannedTarget | undefined {
  const beside = besides(given, ['target', 'targetFiles']);
  if (beside !== '') problems.push(problem('badOption', `${beside}: stands in the file of --target-file`));
  const found = chosen(given.target, own, asked.names.target, problems);
  return found && ownTarget(found, asked, problems);
}

function chosen(
  asked: string | undefined,
  own: readonly ExternalTarget[],
  flag: string | undefined,
  problems: Problem[],
): ExternalTarget | undefined {
  const name = asked ?? (own.length === 1 ? own[0]?.name : undefined);
  const found = own.find((each) => each.name === name);
  if (found) return found;
  // An empty file is its own problem.
  if (own.length > 0) {
    const names = own.map((each) => each.name).join(', ');
    problems.push(
      problem('badOption', `${flag}: expected one of --target-file (${names}), received ${name ?? 'nothing'}`),
    );
  }
  return undefined;
}

/** Returns a target of a file for a trial, and whether it takes publishes; undefined with `problems` added. */
export function targetOfTrial(
  name: string | undefined,
  own: readonly ExternalTarget[],
  problems: Problem[],
): { planned: PlannedTarget; isPostedTo: boolean } | undefined {
  const found = chosen(name, own, '--target', problems);
  const planned = found && externalTarget(found.name, found.options, found.wsUrl, undefined, problems, found.server);
  return planned && { planned, isPostedTo: found.options.publishUrl !== undefined };
}

function ownTarget(
  { name, wsUrl, options, server }: ExternalTarget,
  asked: Asked,
  problems: Problem[],
): PlannedTarget | undefined {
  const found: Problem[] = [];
  const planned = ableTo(asked, externalTarget(name, options, wsUrl, asked, found, server), found);
  problems.push(...found.map((each) => ({ ...each, message: `${name}: ${each.message}` })));
  return planned;
}

function namedTarget(
  name: string | undefined,
  given: TargetOptions,
  asked: Asked,
  problems: Problem[],
): PlannedTarget | undefined {
  const chosen = optionsOf(protocolOptions).flatMap(({ key, isOfClients }) => (isOfClients ? key : []));
  const beside = besides(given, ['target', ...(chosen as (keyof TargetOptions)[])]);
  if (beside !== '') problems.push(problem('badOption', `${beside}: goes with --target-url, which is not given`));
  if (name === undefined) {
    problems.push(
      problem('badOption', '--target: expected a target to start, or --target-url with --protocol and --publish-url'),
    );
    return undefined;
  }
  const target = targetByName(name);
  if (!target) {
    problems.push(problem('unknownName', `${asked.names.target}: there is no target called ${JSON.stringify(name)}`));
    return undefined;
  }
  const { protocol } = target;
  const ofClients = Object.fromEntries(chosen.map((key) => [key, given[key as keyof TargetOptions]]));
  const ofProtocol = protocolValues({ ...ofClients, protocol }, problems);
  const planned = { isOurs: true, name, protocol, target, options: {}, protocolOptions: ofProtocol } as const;
  return ableTo(asked, planned, problems);
}

export const publishersByThemselves = targets.filter(publishesByItself).map(({ name }) => name);

function publishesByItself(target: Target): boolean {
  return target.endpoints({ host: '127.0.0.1', port: 1 }).inProcessUrl !== undefined;
}

function inProcessProblems(planned: PlannedTarget): Problem[] {
  if (planned.isOurs ? publishesByItself(planned.target) : planned.inProcessUrl !== undefined) return [];
  const able = publishersByThemselves.join(', ');
  const message =
    planned.isOurs && !planned.target.isBrought
      ? `--target: expected one that publishes by itself (${able}), received ${planned.name}`
      : '--in-process-url: expected an http:// or https:// address, received nothing';
  return [problem('missingEndpoint', message)];
}

function batchProblems(planned: PlannedTarget, protocol: Protocol): Problem[] {
  const { publishUrl } = planned.isOurs ? planned.target.endpoints({ host: '127.0.0.1', port: 1 }) : planned;
  if (!protocol.batching || protocol.batching(planned.protocolOptions ?? {}, new URL(publishUrl))) return [];
  const message = `--publish-url: expected an address that takes batches of ${protocol.name}, received ${publishUrl}`;
  return [problem('missingEndpoint', message, 'Leave its path out, or choose --publish http.')];
}

function besides(given: TargetOptions, but: readonly (keyof TargetOptions)[]): string {
  return optionsOf(targetOptions)
    .filter(({ key }) => given[key as keyof TargetOptions] !== undefined)
    .filter(({ key }) => !but.includes(key as keyof TargetOptions))
    .map(({ flag }) => `--${flag}`)
    .join(', ');
}

function ableTo(
  { scenario, options }: Asked,
  planned: PlannedTarget | undefined,
  problems: Problem[],
): PlannedTarget | undefined {
  if (planned)
    problems.push(
      ...targetVerbProblems(scenario, planned.isOurs ? planned.target : planned, options, planned.protocolOptions),
    );
  const way = publishWayOf(scenario, options);
  const protocol = planned && protocolByName(planned.protocol);
  if (planned && way === 'in-process') problems.push(...inProcessProblems(planned));
  if (planned && protocol && way === 'batches') problems.push(...batchProblems(planned, protocol));
  return planned;
}

function externalTarget(
  name: string,
  addresses: TargetOptions,
  wsUrl: string,
  asked: Asked | undefined,
  problems: Problem[],
  server?: ExternalTarget['server'],
): PlannedTarget | undefined {
  const bare = asked && protocolWithout(asked.scenario, asked.options);
  const { protocol: _, ...given } = addresses;
  const protocol = protocolOf(addresses) ?? bare;
  const wrong = (text: string): void => void problems.push(problem('badOption', text));
  if (protocol === undefined || !protocolByName(protocol))
    wrong(`--protocol: expected one of \`ringside list protocols\`, received ${protocol ?? 'nothing'}`);
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
  const spoken = protocolByName(protocol ?? '');
  if (spoken) problems.push(...userProblems(spoken, ofProtocol, [wsUrl], asked));
  // Ringside can restart a server that it starts.
  const restart = server || !asked ? undefined : restartWay(given, asked.scenario, problems);
  if (protocol === undefined || publishUrl === undefined) return undefined;
  const publishHeaders: Record<string, string> =
    given.publishToken === undefined ? {} : { authorization: `Bearer ${given.publishToken}` };
  const common = { name, protocol, protocolOptions: ofProtocol, publishHeaders };
  if (server) {
    const target = ownServer({ ...server, name, protocol });
    return { ...common, isOurs: true, target, options: {} };
  }
  return {
    ...common,
    isOurs: false,
    wsUrl,
    publishUrl,
    inProcessUrl: given.inProcessUrl,
    statsUrl: given.statsUrl,
    metricsUrl: given.metricsUrl,
    restart,
  };
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
