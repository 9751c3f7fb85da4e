import { type Problem, problem } from '../../contract/problems.js';
import { publishWayOf } from '../../measure/declaration.js';
import { optionsOf } from '../../options/option.js';
import { protocolByName, protocolOptions, protocolOptionsOf, protocols } from '../../protocols/list.js';
import type { Protocol } from '../../protocols/protocol.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { targetByName } from '../../targets/list.js';
import type { RailwayAccess } from '../../targets/observe/railway.js';
import { clientPlaceholder } from '../../units/client-number.js';
import { inProcessProblems } from '../plan/in-process.js';
import { type TargetOptions, targetOptions } from '../plan/run-options.js';
import { verbProblems } from '../plan/verbs.js';
import type { OwnTarget } from './own-targets.js';
import type { PlannedTarget } from './planned-target.js';
import { restartWay } from './restart-way.js';

/** What of a plan a target is held against. */
export interface Asked {
  scenario: Scenario;
  options: Record<string, unknown>;
  /** What the user called the options. */
  names: Record<string, string | undefined>;
}

/** The one target of a run, out of its options and of the targets that its files hold. Undefined where `problems` say why. */
export function targetOfRun(
  given: TargetOptions,
  own: readonly OwnTarget[],
  asked: Asked,
  problems: Problem[],
): PlannedTarget | undefined {
  if ((given.targetFiles ?? []).length > 0) return targetOfFiles(given, own, asked, problems);
  if (given.targetUrl === undefined) return namedTarget(given.target, given, asked, problems);
  return ableTo(asked, broughtTarget(new URL(given.targetUrl).host, given, given.targetUrl, asked, problems), problems);
}

/** One target of several, by its name: of the user's own, or of ours. Undefined where `problems` say why. */
export function targetOfSeveral(
  name: string,
  own: readonly OwnTarget[],
  asked: Asked,
  problems: Problem[],
): PlannedTarget | undefined {
  const found = own.find((each) => each.name === name);
  return found ? ownTarget(found, asked, problems) : namedTarget(name, {}, asked, problems);
}

function targetOfFiles(
  given: TargetOptions,
  own: readonly OwnTarget[],
  asked: Asked,
  problems: Problem[],
): PlannedTarget | undefined {
  const beside = besides(given, ['target', 'targetFiles']);
  if (beside !== '') problems.push(problem('badOption', `${beside}: stands in the file of --target-file`));
  const name = given.target ?? (own.length === 1 ? own[0]?.name : undefined);
  const found = own.find((each) => each.name === name);
  if (found) return ownTarget(found, asked, problems);
  // A file that holds none is told of by itself.
  if (own.length > 0) {
    const names = own.map((each) => each.name).join(', ');
    problems.push(
      problem(
        'badOption',
        `${asked.names.target}: expected one of --target-file (${names}), received ${name ?? 'nothing'}`,
      ),
    );
  }
  return undefined;
}

function ownTarget({ name, wsUrl, options }: OwnTarget, asked: Asked, problems: Problem[]): PlannedTarget | undefined {
  const found: Problem[] = [];
  const planned = ableTo(asked, broughtTarget(name, options, wsUrl, asked, found), found);
  problems.push(...found.map((each) => ({ ...each, message: `${name}: ${each.message}` })));
  return planned;
}

function namedTarget(
  name: string | undefined,
  given: TargetOptions,
  asked: Asked,
  problems: Problem[],
): PlannedTarget | undefined {
  const beside = besides(given, ['target']);
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
  return ableTo(asked, { isOurs: true, name, protocol: target.protocol, target, options: {} }, problems);
}

/** The flags that are given, but for these. */
function besides(given: TargetOptions, but: readonly (keyof TargetOptions)[]): string {
  return optionsOf(targetOptions)
    .filter(({ key }) => given[key as keyof TargetOptions] !== undefined)
    .filter(({ key }) => !but.includes(key as keyof TargetOptions))
    .map(({ flag }) => `--${flag}`)
    .join(', ');
}

/** Tells what a target lacks for what is asked. */
function ableTo(
  { scenario, options }: Asked,
  planned: PlannedTarget | undefined,
  problems: Problem[],
): PlannedTarget | undefined {
  const protocol = planned && protocolByName(planned.protocol);
  if (protocol) problems.push(...verbProblems(scenario, protocol, options));
  if (planned && publishWayOf(scenario, options) === 'in-process') problems.push(...inProcessProblems(planned));
  return planned;
}

function broughtTarget(
  name: string,
  given: TargetOptions,
  wsUrl: string,
  { scenario, options }: Asked,
  problems: Problem[],
): PlannedTarget | undefined {
  if (given.protocol === undefined || !protocolByName(given.protocol)) {
    problems.push(
      problem(
        'badOption',
        `--protocol: expected one of \`ringside list protocols\`, received ${given.protocol ?? 'nothing'}`,
      ),
    );
  }
  problems.push(...addressProblems(wsUrl));
  // Where nothing is posted, the target's own address stands for one that nobody will use.
  const isPosted = publishWayOf(scenario, options) === 'http';
  const publishUrl = given.publishUrl ?? (isPosted ? undefined : wsUrl.replace(/^ws/i, 'http'));
  if (publishUrl === undefined)
    problems.push(
      problem(
        'badOption',
        `--publish-url: expected an http:// or https:// address, as scenario ${scenario.name} hands the target each broadcast by POST {"stream","data"} there; received nothing`,
      ),
    );
  const ofProtocol = protocolValues(given, problems);
  const restart = restartWay(given, scenario, problems);
  const railway = railwayAccess(given, problems);
  if (given.protocol === undefined || publishUrl === undefined) return undefined;
  return {
    isOurs: false,
    name,
    protocol: given.protocol,
    protocolOptions: ofProtocol,
    wsUrl,
    publishUrl,
    inProcessUrl: given.inProcessUrl,
    statsUrl: given.statsUrl,
    metricsUrl: given.metricsUrl,
    railway,
    publishHeaders: given.publishToken === undefined ? {} : { authorization: `Bearer ${given.publishToken}` },
    restart,
  };
}

/** The client options that were given. The protocol that the target speaks must take them. */
function protocolValues(given: TargetOptions, problems: Problem[]): Record<string, unknown> {
  const spoken = protocolByName(given.protocol ?? '');
  const asked = optionsOf(protocolOptions).filter(({ key }) => given[key as keyof TargetOptions] !== undefined);
  const takes = (key: string, protocol: Protocol): boolean => key in protocolOptionsOf(protocol).shape;
  for (const { key, flag } of asked.filter((each) => spoken && !takes(each.key, spoken))) {
    const names = protocols.filter((each) => takes(key, each)).map(({ name }) => name);
    const expected = `--protocol ${names.join(' or ')}`;
    problems.push(problem('badOption', `--${flag}: expected ${expected} beside it, received ${given.protocol}`));
  }
  return Object.fromEntries(asked.map(({ key }) => [key, given[key as keyof TargetOptions]]));
}

/** As a URL writes it in a path. */
const isPlaceholder = new RegExp(clientPlaceholder.replace('{', '(%7B|\\{)').replace('}', '(%7D|\\})'), 'i');

/** What an address holds that not every kind of client sends, or none of them as it is meant. */
function addressProblems(wsUrl: string): Problem[] {
  const { username, password, pathname } = new URL(wsUrl);
  const texts: string[] = [];
  if (username !== '' || password !== '')
    texts.push("expected no user and no password in it, which go into --header 'Authorization: Basic …'");
  if (isPlaceholder.test(pathname))
    texts.push(`expected ${clientPlaceholder} in the query alone, received it in the path`);
  return texts.map((text) => problem('badOption', `--target-url: ${text}`));
}

/** All three are needed to read a service's metrics; some of them are a mistake. */
function railwayAccess(given: TargetOptions, problems: Problem[]): RailwayAccess | undefined {
  const { railwayToken: token, railwayEnvironment: environmentId, railwayService: serviceId } = given;
  if (token === undefined && environmentId === undefined && serviceId === undefined) return undefined;
  if (token !== undefined && environmentId !== undefined && serviceId !== undefined) {
    return { token, tokenKind: 'account', environmentId, serviceId };
  }
  problems.push(
    problem('badOption', '--railway-token, --railway-environment, --railway-service: expected all three or none'),
  );
  return undefined;
}
