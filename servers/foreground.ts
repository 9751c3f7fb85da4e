import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

/** Connections get this long to close after a signal, unless a server drains. */
export const closeWithinMs = 700;

/** A server under test, built and not yet listening. */
export interface TargetServer {
  version: string;
  /** Resolves to the port of each process, this one's first. Rejects if the address can't be listened on. */
  listen(host: string, port: number): Promise<[number, ...number[]]>;
  close(): Promise<void>;
  /** Whether the process ends only when `close` has answered all that is under way, however long that takes. */
  drains?: true;
}

/** Options that a server has beyond `--host`, `--port` and `--version`. */
export interface ServerOptions {
  flags?: readonly string[];
  takesProcesses?: boolean;
  /** Options with a value, which the server itself reads. */
  valued?: readonly string[];
}

/** Runs a server under test as this process, with the output and exit codes that servers/README.md promises. */
export async function runServer(
  name: string,
  build: (command: ReturnType<typeof readCommand>) => TargetServer | Promise<TargetServer>,
  options: ServerOptions = {},
): Promise<void> {
  const command = readCommand(name, options);
  const server = await build(command);
  if (command.flags.has('version')) {
    process.stdout.write(`${server.version}\n`);
    process.exit(0);
  }
  const { host, port } = command;
  const ports = await server.listen(host, port).catch((error: unknown) => fail(name, whyDeaf(host, port, error), 1));
  exitWhenTold(server);
  const listening = { host, port: ports[0], ...(ports.length > 1 && { ports }), pid: process.pid };
  process.stdout.write(`${JSON.stringify({ listening })}\n`);
}

/** Ends the process with one line on stderr. */
export function fail(name: string, message: string, exitCode: number): never {
  process.stderr.write(`${name}: ${message.replaceAll(/\s*\n\s*/g, ' ')}\n`);
  process.exit(exitCode);
}

/** What a server is built from; `processes` is how many it serves with, this one included. */
function readCommand(name: string, { flags = [], takesProcesses = false, valued = [] }: ServerOptions) {
  const typed = (type: 'boolean' | 'string', ...names: string[]) =>
    Object.fromEntries(names.map((flag) => [flag, { type }]));
  const options = {
    ...typed('boolean', 'version', ...flags),
    ...typed('string', 'host', 'port', 'processes', ...valued),
  };
  try {
    const values = parseArgs({ options }).values as Readonly<Record<string, string>>;
    const { host = '127.0.0.1', port = '0', processes = '1' } = values;
    if (!/^\d+$/.test(port) || Number(port) > 65_535) throw new TypeError(`--port must be 0 to 65535, not ${port}`);
    if (!/^[1-9]\d*$/.test(processes)) throw new TypeError(`--processes must be 1 or more, not ${processes}`);
    if (!takesProcesses && processes !== '1') throw new TypeError(`--processes must be 1 here, not ${processes}`);
    const given: ReadonlySet<string> = new Set(Object.keys(values));
    return { host, port: Number(port), processes: Number(processes), flags: given, values };
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
