import { spawn } from 'node:child_process';
import type { Command } from 'commander';
import { ProblemError, problem } from '../contract/problems.js';
import { targetByName } from '../targets/list.js';

/** `ringside target NAME`: one server under test in the foreground, until it is signalled. */
export function define(command: Command): void {
  command
    .argument('<name>', 'one of `ringside list targets`')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on', '3000')
    .action(async (name: string, { host, port }: { host: string; port: string }) => {
      const target = targetByName(name);
      if (!target)
        throw new ProblemError([problem('unknownName', `there is no target called ${JSON.stringify(name)}`)]);
      if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
        throw new ProblemError([problem('badOption', `--port: expected a number from 0 to 65535, received ${port}`)]);
      }
      const available = await target.availability();
      if (!available.isAvailable)
        throw new ProblemError([problem('targetUnavailable', `${name}: ${available.why}`, available.hint)]);
      const address = { host, port: Number(port) };
      const { command: file, args, env } = target.start(address);
      const { wsUrl, publishUrl } = target.endpoints(address);
      if (address.port !== 0) process.stderr.write(`${name}: clients at ${wsUrl}, publishes at POST ${publishUrl}\n`);
      process.exitCode = await foreground(file, args, env);
    });
}

/** Runs a command in this terminal and passes signals on; resolves with its exit code. */
function foreground(file: string, args: readonly string[], env: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: 'inherit', env: { ...process.env, ...env } });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 1)));
  });
}
