import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { type Problem, problem } from '../../contract/problems.js';
import { resolveOptions } from '../../options/resolve.js';
import { protocolByName } from '../../protocols/list.js';
import { slotsOfUsers } from '../../protocols/users.js';
import type { OwnServer } from '../../targets/launch/managed-server.js';
import { targetByName } from '../../targets/list.js';
import { httpUrl, portPlaceholder } from '../../units/addresses.js';
import { isMap, lineOf, readYaml } from '../../units/text.js';
import { isProtocolFile } from '../flow/read-protocols.js';
import { addressOptions, type TargetOptions } from '../plan/run-options.js';

/** Maps each option of `run` to its key in the `clients` of a target file. */
const keys: Readonly<Record<string, string>> = { users: 'file', reuseUsers: 'reuse', login: 'login' };

/** Keeps unknown keys under their own name, so that they are refused. */
function optionsOfClients(clients: unknown, folder: string): Record<string, unknown> {
  if (!isMap(clients)) return { clients };
  const { file, reuse, login, ...unknown } = clients;
  return {
    ...Object.fromEntries(Object.entries(unknown).map(([key, value]) => [`clients.${key}`, value])),
    ...(file !== undefined && { users: typeof file === 'string' ? resolve(folder, file) : file }),
    ...(reuse !== undefined && { reuseUsers: reuse }),
    ...(login !== undefined && { login: JSON.stringify(login) }),
  };
}

/** Describes a server of the user, under a name of the user's choice. */
export interface ExternalTarget {
  name: string;
  wsUrl: string;
  options: TargetOptions;
  /** Start instructions for Ringside; left out for a server that already runs. */
  server?: Omit<OwnServer, 'name' | 'protocol'>;
}

type ReadTarget = { target: ExternalTarget } | { faults: Fault[] };

export type Variables = Readonly<Record<string, string | undefined>>;

/** Reads a target from a map of a file in that folder. No message shows a value of `${NAME}`. */
export function readExternalTarget(
  map: Readonly<Record<string, unknown>>,
  variables: Variables,
  folder: string,
): ReadTarget {
  const { name, ...given } = map;
  const faults: Fault[] = [];
  const nameFault = faultOfName(name);
  if (nameFault !== undefined) faults.push({ key: 'name', text: nameFault });
  const file: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    const missing = namesIn(value).filter((each) => !variables[each]);
    faults.push(
      ...missing.map((each) => ({ key, text: `expected the environment variable ${each}, received nothing` })),
    );
    if (missing.length === 0) file[key] = filledIn(value, variables);
  }
  const { start, clients, ...others } = file;
  const ofClients = clients === undefined ? {} : optionsOfClients(clients, folder);
  if (isProtocolFile(others.protocol)) others.protocol = resolve(folder, others.protocol);
  const addresses = { ...others, ...ofClients };
  faults.push(...describe(addresses, given.messages));
  const command = isMap(given.start) ? given.start.command : undefined;
  const read = 'start' in file ? readStart(start, addresses, command, folder) : undefined;
  if (read && 'faults' in read) faults.push(...read.faults);
  const resolved = resolveOptions(addressOptions, { file: 'start' in given ? withSomePort(addresses) : addresses });
  if (!resolved.ok)
    for (const { option, expected, received } of resolved.issues) {
      const name = option.replace(/ in the file$/, '');
      const key = name in ofClients && name in keys ? `clients.${keys[name]}` : name;
      const told = namesIn(given[key]).length > 0 ? '(hidden)' : received;
      faults.push({ key, text: `expected ${expected}, received ${told}` });
    }
  if (!('targetUrl' in given))
    faults.push({ key: 'targetUrl', text: 'expected a ws:// or wss:// address, received nothing' });
  if (faults.length > 0 || !resolved.ok || resolved.values.targetUrl === undefined) return { faults };
  const { targetUrl: wsUrl, ...options } = resolved.values;
  return { target: { name: String(name), wsUrl, options, ...(read && 'server' in read && { server: read.server }) } };
}

function describe(file: Record<string, unknown>, given: unknown): Fault[] {
  if (!('messages' in file)) return [];
  const { messages } = file;
  if (!isMap(messages)) return [{ key: 'messages', text: 'expected a map' }];
  const [secret] = namesIn(given);
  if (secret !== undefined) {
    const expected = 'expected slots of `clients` for secrets, as results show messages';
    return [{ key: 'messages', text: `${expected}; received \${${secret}}` }];
  }
  file.messages = JSON.stringify(messages);
  file.protocol ??= 'messages';
  const { publish } = messages;
  if (isMap(publish) && typeof publish.post === 'string') file.publishUrl ??= publish.post;
  const faults = protocolByName(String(file.protocol))?.faults?.(file, slotsOf(file)) ?? [];
  return faults.map(({ key, text }) => ({ key: key === '' ? 'messages' : `messages.${key}`, text }));
}

/** A file that can't be read is reported elsewhere. */
function slotsOf({ users, login }: Readonly<Record<string, unknown>>): string[] | undefined {
  try {
    return slotsOfUsers({ users: typeof users === 'string' ? readFileSync(users, 'utf8') : undefined, login });
  } catch {
    return undefined;
  }
}

/** Reads the targets of these files. Each file is a map or a list of maps. Faults are added to `problems`. */
export function readTargetFiles(
  paths: readonly string[],
  variables: Variables,
  problems: Problem[],
): readonly ExternalTarget[] {
  const targets: ExternalTarget[] = [];
  const wrong = (path: string, text: string): void => {
    problems.push(problem('badFile', `--target-file ${path}: ${text}`, hint));
  };
  for (const path of paths) {
    let content: unknown;
    try {
      content = readYaml(path);
    } catch (error) {
      wrong(path, (error as Error).message);
      continue;
    }
    const isList = Array.isArray(content);
    const maps: unknown[] = isList ? (content as unknown[]) : [content];
    if (maps.length === 0 || !maps.every(isMap)) {
      wrong(path, 'expected a map, or a list of maps, received something else');
      continue;
    }
    for (const [index, map] of maps.entries()) {
      const read = readExternalTarget(map, variables, dirname(path));
      const name = typeof map.name === 'string' ? `${map.name}: ` : '';
      if ('faults' in read) {
        const file = readFileSync(path, 'utf8');
        for (const { key, text } of read.faults) {
          const line = lineOf(file, [...(isList ? [index] : []), ...key.split('.')]);
          wrong(path, `line ${line}: ${name}${key}: ${text}`);
        }
      } else if (targets.some((each) => each.name === read.target.name))
        wrong(path, `expected each name once, received ${read.target.name} again`);
      else targets.push(read.target);
    }
  }
  return targets;
}

const hint =
  'Expected YAML or JSON: a map, or a list of maps, with a `name` and the target options of `run`, in camelCase.';

function faultOfName(name: unknown): string | undefined {
  if (typeof name !== 'string' || !/^[a-z0-9][a-z0-9.-]{0,39}$/.test(name))
    return 'expected at most forty small letters, digits, dashes and dots';
  if (name === 'all' || targetByName(name)) return `expected a name that no target has, received ${name}`;
  return undefined;
}

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Returns the environment variables that a value of a file names as `${NAME}`. */
export function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (isMap(value)) return namesIn(Object.values(value));
  return typeof value === 'string' ? [...value.matchAll(reference)].map(([, name]) => name as string) : [];
}

function filledIn(value: unknown, variables: Variables): unknown {
  if (Array.isArray(value)) return value.map((each) => filledIn(each, variables));
  if (isMap(value))
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filledIn(each, variables)]));
  if (typeof value !== 'string') return value;
  return value.replaceAll(reference, (_text, name: string) => variables[name] ?? '');
}

interface Fault {
  key: string;
  text: string;
}

const text = 'expected text';
const variable = /^[A-Za-z_][A-Za-z0-9_]*$/;

const startMap = z.strictObject(
  {
    command: z.string('expected a shell command').min(1, 'expected a shell command'),
    directory: z.string(text).default('.'),
    environment: z
      .record(
        z.string().regex(variable, 'expected names of letters, digits and underscores'),
        z.union([z.string(), z.number(), z.boolean()], text).transform(String),
        'expected a map of variables',
      )
      .default({}),
    health: httpUrl.optional(),
  },
  { error: ({ code }) => (code === 'unrecognized_keys' ? undefined : 'expected a map with a `command`') },
);

const startKeys = Object.keys(startMap.shape).join(', ');

/** Maps the names of addresses in a target to their keys in a target file. */
const addressKeys = {
  wsUrl: 'targetUrl',
  publishUrl: 'publishUrl',
  inProcessUrl: 'inProcessUrl',
  statsUrl: 'statsUrl',
  metricsUrl: 'targetMetrics',
} as const;

/** Options that are refused for a server that Ringside starts: it does these by itself, or can't. */
const needless = ['restartCommand', 'restartUrl'];

const someRealPort = '1';

/** Returns the entries of a target file, or of a part of it, with a port in place of its placeholder. */
function withSomePort(file: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const names: readonly string[] = [...Object.values(addressKeys), 'health'];
  return Object.fromEntries(
    Object.entries(file).map(([key, value]) => [
      key,
      names.includes(key) && typeof value === 'string' ? value.replaceAll(portPlaceholder, someRealPort) : value,
    ]),
  );
}

/** Reads the start instructions of a server from `start` and the addresses beside it. Returns all faults otherwise. */
function readStart(
  start: unknown,
  beside: Readonly<Record<string, unknown>>,
  command: unknown,
  folder: string,
): { server: Omit<OwnServer, 'name' | 'protocol'> } | { faults: Fault[] } {
  const parsed = startMap.safeParse(isMap(start) ? withSomePort(start) : start);
  const faults = [
    ...(parsed.error?.issues ?? []).flatMap((issue) => faultsOf(issue, start)),
    ...needless.filter((key) => key in beside).map((key) => ({ key, text: 'expected nothing beside `start`' })),
    ...Object.values(addressKeys).flatMap((key) => addressFault(key, beside[key])),
  ];
  const directory = resolve(folder, parsed.data?.directory ?? '.');
  if (parsed.data && !statSync(directory, { throwIfNoEntry: false })?.isDirectory())
    faults.push({ key: 'start.directory', text: `expected a directory, received ${directory}` });
  if (faults.length > 0 || !parsed.success) return { faults };
  const given = Object.entries(addressKeys).flatMap(([name, key]) =>
    beside[key] === undefined ? [] : [[name, beside[key]]],
  );
  const { wsUrl = '', ...urls } = Object.fromEntries(given) as Partial<OwnServer['urls']>;
  const { health: healthUrl } = start as { health?: string };
  const publishUrl = urls.publishUrl ?? wsUrl.replace(/^ws/i, 'http');
  const { environment } = parsed.data;
  return {
    server: {
      ...{ command: parsed.data.command, directory, environment },
      // Keeps the text of the file, as values from the environment may be secret.
      settings: { command: String(command) },
      urls: { ...urls, wsUrl, publishUrl, ...(healthUrl !== undefined && { healthUrl }) },
    },
  };
}

function addressFault(key: string, value: unknown): Fault[] {
  if (typeof value !== 'string') return [];
  const isHere = /^\w+:\/\/(127\.0\.0\.1|localhost):\{port\}(?=[/?]|$)/.test(value);
  return isHere ? [] : [{ key, text: `expected 127.0.0.1:${portPlaceholder} as its host, as Ringside starts it here` }];
}

function faultsOf(issue: z.core.$ZodIssue, start: unknown): Fault[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      key: `start.${key}`,
      text: `expected one of ${startKeys}, received an unknown key`,
    }));
  const received = issue.path.reduce<unknown>((value, step) => (isMap(value) ? value[String(step)] : undefined), start);
  // The value may come from the environment.
  const told = received === undefined ? 'nothing' : 'something else';
  return [{ key: ['start', ...issue.path].join('.'), text: `${issue.message}, received ${told}` }];
}
