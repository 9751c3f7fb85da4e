import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

/** After a signal, connections get this long to close, unless the server drains. */
export const closeWithinMs = 700;

/** Describes a server under test that is built but does not listen yet. */
export interface TargetServer {
  version: string;
  /** Resolves to the port of each process, with this one first. Rejects if it can't listen on the address. */
  listen(host: string, port: number): Promise<[number, ...number[]]>;
  close(): Promise<void>;
  /** If true, the process ends only after `close` has answered all open requests, without a time limit. */
  drains?: true;
}

/** Describes the options of a server beyond `--host`, `--port` and `--version`. */
export interface ServerOptions {
  flags?: readonly string[];
  takesProcesses?: boolean;
  /** Names the options with a value. The server reads these itself. */
  valued?: readonly string[];
}

/** Runs a server under test in this process. servers/README.md documents its output and exit codes. */
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

/** Reads the command line. `processes` counts all processes that serve, including this one. */
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
  // The parent holds the other end of stdin. A killed driver therefore leaves no orphan.
  if (process.env.RINGSIDE_EXIT_WITH_STDIN === '1') process.stdin.once('end', exit).resume();
}
