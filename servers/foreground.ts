import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

/** Connections get this long to close after a signal, unless a server drains. */
const closeWithinMs = 700;

/** A server under test, built and not yet listening. */
export interface TargetServer {
  version: string;
  /**
   * Resolves to the ports in use, one per process, this process's first. Rejects if the address can't be listened on.
   */
  listen(host: string, port: number): Promise<[number, ...number[]]>;
  close(): Promise<void>;
  /** Whether the process ends only when `close` has answered all that is under way, however long that takes. */
  drains?: true;
}

/** What a server is built from, out of its command line. */
export interface ServerCommand {
  flags: ReadonlySet<string>;
  /** How many processes it is to serve with, this one included. */
  processes: number;
  values: Readonly<Record<string, string>>;
}

/** Options that a server has beyond `--host` and `--port`. */
export interface ServerOptions {
  flags?: readonly string[];
  takesProcesses?: boolean;
  /** Options with a value, which the server itself reads. */
  valued?: readonly string[];
}

/**
 * Runs a server under test as this process, as servers/README.md promises: one line on stdout once it listens; exit 0
 * on a signal or the end of stdin, 1 if it can't listen, 2 on wrong arguments.
 */
export async function runServer(
  name: string,
  build: (command: ServerCommand) => TargetServer | Promise<TargetServer>,
  options: ServerOptions = {},
): Promise<void> {
  const command = readCommand(name, options);
  const server = await build(command);
  if (command.isVersion) {
    process.stdout.write(`${server.version}\n`);
    process.exit(0);
  }
  const { host } = command;
  const ports = await server
    .listen(host, command.port)
    .catch((error: unknown) => fail(name, whyDeaf(host, command.port, error), 1));
  exitWhenTold(server);
  const listening = { host, port: ports[0], ...(ports.length > 1 && { ports }), pid: process.pid };
  process.stdout.write(`${JSON.stringify({ listening })}\n`);
}

/** Ends the process with one line on stderr. */
export function fail(name: string, message: string, exitCode: number): never {
  process.stderr.write(`${name}: ${message.replaceAll(/\s*\n\s*/g, ' ')}\n`);
  process.exit(exitCode);
}

function readCommand(name: string, { flags = [], takesProcesses = false, valued = [] }: ServerOptions) {
  const booleans = ['version', ...flags].map((flag) => [flag, { type: 'boolean' }] as const);
  const texts = valued.map((flag) => [flag, { type: 'string' }] as const);
  const options = {
    host: { type: 'string' },
    port: { type: 'string' },
    processes: { type: 'string' },
    ...Object.fromEntries(booleans),
    ...Object.fromEntries(texts),
  } as const;
  try {
    const { values } = parseArgs({ options });
    const given = new Set(Object.keys(values));
    const { host = '127.0.0.1', port = '0', processes = '1' } = values;
    if (!/^\d+$/.test(port) || Number(port) > 65_535) throw new TypeError(`--port must be 0 to 65535, not ${port}`);
    if (!/^[1-9]\d*$/.test(processes)) throw new TypeError(`--processes must be 1 or more, not ${processes}`);
    if (!takesProcesses && processes !== '1') throw new TypeError(`--processes must be 1 here, not ${processes}`);
    return {
      host,
      port: Number(port),
      processes: Number(processes),
      isVersion: given.has('version'),
      flags: given,
      values: Object.fromEntries(Object.entries(values).filter(([flag]) => valued.includes(flag))) as Record<
        string,
        string
      >,
    };
  } catch (error) {
    if (error instanceof TypeError) return fail(name, error.message, 2);
    throw error;
  }
}

function whyDeaf(host: string, port: number, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'EADDRINUSE'
    ? `port ${port} of ${host} is in use`
    : `can't listen on port ${port} of ${host}: ${message}`;
}

function exitWhenTold(server: TargetServer): void {
  const exit = async () => {
    await Promise.race([server.close(), ...(server.drains ? [] : [delay(closeWithinMs)])]);
    process.exit(0);
  };
  process.once('SIGTERM', exit);
  process.once('SIGINT', exit);
  // The parent holds the other end: a killed driver leaves no orphan.
  if (process.env.RINGSIDE_EXIT_WITH_STDIN === '1') process.stdin.once('end', exit).resume();
}
