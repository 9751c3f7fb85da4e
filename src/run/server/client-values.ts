import { readFileSync } from 'node:fs';
import { type Problem, problem } from '../../contract/problems.js';
import { optionsOf } from '../../options/option.js';
import { protocolByName, protocolOptions, protocolOptionsOf, protocols, protocolWith } from '../../protocols/list.js';
import type { Protocol } from '../../protocols/protocol.js';
import { faultsOfUsers } from '../../protocols/users/faults.js';
import { publishersOf } from '../../scenarios/job.js';
import type { LoadOptions } from '../../scenarios/load-options.js';
import type { Scenario } from '../../scenarios/scenario.js';
import type { TargetOptions } from '../plan/run-options.js';

/** Holds the part of a plan that limits the choice of targets. */
export interface Asked {
  scenario: Scenario;
  options: Record<string, unknown>;
  load: LoadOptions;
  names: Record<string, string | undefined>;
}

/** Returns the given client options. Adds those that the protocol of the target does not accept to `problems`. */
export function protocolValues(given: TargetOptions, problems: Problem[]): Record<string, unknown> {
  const spoken = protocolByName(given.protocol ?? '');
  const asked = optionsOf(protocolOptions).filter(({ key }) => given[key as keyof TargetOptions] !== undefined);
  const takes = (key: string, protocol: Protocol): boolean => key in protocolOptionsOf(protocol).shape;
  for (const { key, flag } of asked.filter((each) => spoken && !takes(each.key, spoken))) {
    const names = protocols.filter((each) => takes(key, each)).map(({ name }) => name);
    const expected = `a target of --protocol ${names.join(' or ')}`;
    problems.push(problem('badOption', `--${flag}: expected ${expected}, received ${given.protocol}`));
  }
  const values = Object.fromEntries(asked.map(({ key }) => [key, given[key as keyof TargetOptions]]));
  const { users: path, ...others } = values as Record<string, unknown>;
  if (typeof path !== 'string') return values;
  const users = readUsersFile(path, problems);
  return { ...others, ...(users !== undefined && { users }) };
}

/** Lists the parts of an address that some kinds of clients do not send as given. */
export function addressProblems(wsUrl: string): Problem[] {
  const { username, password } = new URL(wsUrl);
  if (username === '' && password === '') return [];
  const expected = "expected no user and no password in it, which go into --header 'Authorization: Basic …'";
  return [problem('badOption', `--target-url: ${expected}`)];
}

function readUsersFile(path: string, problems: Problem[]): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const received = `received ${path}: ${(error as Error).message}`;
    problems.push(problem('badOption', `--users: expected a CSV file with a line of column names, ${received}`));
    return undefined;
  }
}

/** Lists the values that the clients of a plan lack. Without a plan, assumes enough of them. */
export function userProblems(
  protocol: Protocol,
  values: Readonly<Record<string, unknown>>,
  wsUrls: readonly string[],
  asked: Asked | undefined,
): Problem[] {
  const clients = asked ? clientsOf(asked, protocolWith(protocol.name, values)) : 0;
  return faultsOfUsers(protocolOptionsOf(protocol), values, { wsUrls, clients }).map(({ flag, text }) =>
    problem('badOption', `--${flag}: ${text}`),
  );
}

function clientsOf({ scenario, options, load }: Asked, protocol: Protocol | undefined): number {
  return scenario.demand(options, load).clients + publishersOf(scenario, protocol, options, load);
}
