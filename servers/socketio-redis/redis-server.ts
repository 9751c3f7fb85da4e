import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { freePort } from '../../src/targets/launch/readiness.js';
import type { BesideStats } from '../../src/targets/target.js';

/** Redis serves only the processes of this target. */
export const redisHost = '127.0.0.1';

/** Holds the settings that differ from the defaults of redis-server. It keeps nothing on disk. */
export const redisSettings = { save: '', appendonly: 'no' };

/** Describes the part of a client of the package `redis` that is used here. */
export interface RedisClient {
  connect(): Promise<unknown>;
  /** Resolves when all sent commands are answered. */
  close(): Promise<void>;
  duplicate(): RedisClient;
  on(event: 'error', listener: () => void): unknown;
  sendCommand(command: readonly string[]): Promise<unknown>;
}

export interface RedisServer {
  pid: number;
  port: number;
  /** Resolves when Redis has ended. After this call, its end is not reported to `lost`. */
  stop(): Promise<void>;
}

/** Starts redis-server on a free port. It ends with this process. `lost` gets why it could not start or ended. */
export async function startRedis(lost: (why: string) => void): Promise<RedisServer> {
  const port = await freePort(redisHost);
  const settings = Object.entries({ port, bind: redisHost, ...redisSettings });
  const args = settings.flatMap(([name, value]) => [`--${name}`, String(value)]);
  // The kernel kills it when its starting thread ends, so that not even SIGKILL leaves it behind.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', 'redis-server', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  createInterface({ input: child.stdout }).on('line', (line) => {
    said = line;
  });
  let isEnding = false;
  const exited = new Promise<void>((resolve) => {
    child.once('error', ({ message }) => lost(`redis-server can't be started: ${message}`));
    child.once('close', (code, signal) => {
      resolve();
      if (!isEnding) lost(`redis-server is lost (${signal ?? `exit code ${code}`}): ${said}`);
    });
  });
  return {
    // Without a pid, `lost` has been called.
    pid: child.pid ?? 0,
    port,
    stop() {
      isEnding = true;
      child.kill('SIGKILL');
      return exited;
    },
  };
}

export async function redisStats(
  client: RedisClient,
  { pid }: RedisServer,
): Promise<{ version: string; use: BesideStats }> {
  const info = String(await client.sendCommand(['INFO', 'everything']));
  const told = (name: string): string => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? '';
  const microseconds = (name: string): number => Math.round(Number(told(name)) * 1e6);
  return {
    version: told('redis_version'),
    use: {
      program: 'redis-server',
      pid,
      rssBytes: Number(told('used_memory_rss')),
      cpuUserUs: microseconds('used_cpu_user'),
      cpuSystemUs: microseconds('used_cpu_sys'),
    },
  };
}
