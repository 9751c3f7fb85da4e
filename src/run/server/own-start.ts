import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { type Problem, problem } from '../../contract/problems.js';
import { protocolByName } from '../../protocols/list.js';
import type { OwnServer } from '../../targets/own-server.js';
import { httpUrl, portPlaceholder } from '../../units/addresses.js';
import { isMap } from '../../units/yaml-file.js';
import { spokenProtocol } from '../flow/read-protocols.js';
import type { TargetOptions } from '../plan/run-options.js';

/** Options that describe messages. Each of them selects the protocol `messages`. */
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

export interface Fault {
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
    /** URL that answers 200 once the server serves. */
    health: httpUrl.optional(),
  },
  { error: ({ code }) => (code === 'unrecognized_keys' ? undefined : 'expected a map with a `command`') },
);

const keys = Object.keys(startMap.shape).join(', ');

/** Maps the names of addresses in a target to their keys in a target file. */
const addresses = {
  wsUrl: 'targetUrl',
  publishUrl: 'publishUrl',
  inProcessUrl: 'inProcessUrl',
  statsUrl: 'statsUrl',
  metricsUrl: 'targetMetrics',
} as const;

/** Options that are refused for a server that Ringside starts: it does these by itself, or can't. */
const needless = ['restartCommand', 'restartUrl'];

/** A port for checks of addresses before the real one is known. */
const someRealPort = '1';

/** Returns the entries of a target file, or of a part of it, with a port in place of its placeholder. */
export function withSomePort(file: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const names: readonly string[] = [...Object.values(addresses), 'health'];
  return Object.fromEntries(
    Object.entries(file).map(([key, value]) => [
      key,
      names.includes(key) && typeof value === 'string' ? value.replaceAll(portPlaceholder, someRealPort) : value,
    ]),
  );
}

/** Reads the start instructions of a server from `start` and the addresses beside it. Returns all faults otherwise. */
export function readStart(
  start: unknown,
  beside: Readonly<Record<string, unknown>>,
  command: unknown,
  folder: string,
): { server: Omit<OwnServer, 'name' | 'protocol'> } | { faults: Fault[] } {
  const parsed = startMap.safeParse(isMap(start) ? withSomePort(start) : start);
  const faults = [
    ...(parsed.error?.issues ?? []).flatMap((issue) => faultsOf(issue, start)),
    ...needless.filter((key) => key in beside).map((key) => ({ key, text: 'expected nothing beside `start`' })),
    ...Object.values(addresses).flatMap((key) => addressFault(key, beside[key])),
  ];
  const directory = resolve(folder, parsed.data?.directory ?? '.');
  if (parsed.data && !statSync(directory, { throwIfNoEntry: false })?.isDirectory())
    faults.push({ key: 'start.directory', text: `expected a directory, received ${directory}` });
  if (faults.length > 0 || !parsed.success) return { faults };
  const given = Object.entries(addresses).flatMap(([name, key]) =>
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
    return issue.keys.map((key) => ({ key: `start.${key}`, text: `expected one of ${keys}, received an unknown key` }));
  const received = issue.path.reduce<unknown>((value, step) => (isMap(value) ? value[String(step)] : undefined), start);
  // The value may come from the environment.
  const told = received === undefined ? 'nothing' : 'something else';
  return [{ key: ['start', ...issue.path].join('.'), text: `${issue.message}, received ${told}` }];
}
