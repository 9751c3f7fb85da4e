import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { type Problem, problem } from '../../contract/problems.js';
import { optionsOf } from '../../options/option.js';
import { protocolByName, protocolOptions, protocolOptionsOf, protocols, protocolWith } from '../../protocols/list.js';
import type { Protocol } from '../../protocols/protocol.js';
import { faultsOfUsers } from '../../protocols/users.js';
import { publishersOf } from '../../scenarios/job.js';
import type { LoadOptions } from '../../scenarios/load-options.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { spokenProtocol } from '../flow/read-protocols.js';
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

const describing = ['messages', 'message', 'messageFile', 'match', 'hello', 'ready'] as const;

const flags: Readonly<Record<string, string>> = {
  'echo.send': '--message',
  'echo.match': '--match',
  echo: '--message',
  hello: '--hello',
  ready: '--ready',
};

export function protocolOf(given: TargetOptions): string | undefined {
  return (
    spokenProtocol(given.protocol) ??
    (describing.some((key) => given[key as keyof TargetOptions] !== undefined) ? 'messages' : undefined)
  );
}

/** Replaces the file of a message by its content: text as text, other files as bytes. */
export function withMessageOfFile(
  { messageFile, ...values }: Readonly<Record<string, unknown>>,
  problems: Problem[],
): Record<string, unknown> {
  if (messageFile === undefined) return values;
  if (values.message !== undefined)
    problems.push(problem('badOption', '--message-file: expected no --message beside it'));
  try {
    const bytes = readFileSync(String(messageFile));
    return { ...values, message: isUtf8(bytes) ? bytes.toString() : `{base64: ${bytes.toString('base64')}}` };
  } catch (error) {
    problems.push(problem('badFile', `--message-file: ${(error as Error).message}`));
    return values;
  }
}

/** Lists the faults of messages that options describe. `slots`: slots of the clients besides their number. */
export function messageProblems(
  protocol: string,
  options: Record<string, unknown>,
  slots: readonly string[] | undefined,
): Problem[] {
  const faults = protocolByName(protocol)?.faults?.(options, slots) ?? [];
  return faults.map(({ key, text }) => problem('badOption', `${flags[key] ?? `--messages ${key}`}: ${text}`));
}

/** Restart of an external target: a shell command on this machine, or an empty POST. */
export type RestartWay = { command: string } | { url: string };

/** Returns the restart of an external target; undefined without one. Adds faults to `problems`. */
export function restartWay(given: TargetOptions, scenario: Scenario, problems: Problem[]): RestartWay | undefined {
  const { restartCommand: command, restartUrl: url } = given;
  const flags = '--restart-command and --restart-url: expected one of them';
  if (command !== undefined && url !== undefined) problems.push(problem('badOption', `${flags}, received both`));
  if (command !== undefined) return { command };
  if (url !== undefined) return { url };
  if (scenario.disruption)
    problems.push(problem('badOption', `${flags}, as scenario ${scenario.name} restarts the target; received neither`));
  return undefined;
}
