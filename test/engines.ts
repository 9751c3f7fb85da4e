import { execFileSync, spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

/** What a command of an engine prints. Throws if it fails. */
export function printed(program: string, args: readonly string[], env: Record<string, string> = {}): string {
  return execFileSync(program, args, {
    env: { ...process.env, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

const succeeds = (program: string, args: readonly string[]): boolean =>
  spawnSync(program, args, { stdio: 'ignore' }).status === 0;

/** How to get an engine that a probe of it does not find here; undefined if it does. */
export function lackOf(program: string, probe: readonly string[], wayOut: string): string | undefined {
  return succeeds(program, probe) ? undefined : wayOut;
}

/** The title of what runs, or is skipped for that lack. */
export function titled(name: string, lack: string | undefined): string {
  return lack === undefined ? name : `${name}, which is not here: ${lack}`;
}

const image = 'ringside';
const startOf = ['run', '--rm', '--network', 'none', '--entrypoint', 'true', image];

/** How to get the image of the Dockerfile for a Podman that starts it; undefined if it is here. */
export const imageLack =
  lackOf('podman', ['info'], 'apt-get install podman') ??
  lackOf('podman', ['image', 'exists', image], `podman build --format docker --tag ${image} .`) ??
  lackOf('podman', startOf, `make this work: podman ${startOf.join(' ')}`);

/** Waits until the server in a container answers to the healthcheck of the image. Throws after a minute. */
export async function healthy(engine: string, container: string, ...port: string[]): Promise<void> {
  for (let tries = 0; tries < 120; tries++) {
    if (succeeds(engine, ['exec', container, 'ringside-healthy', ...port])) return;
    await delay(500);
  }
  throw new Error(`it is not healthy: ${printed(engine, ['logs', container])}`);
}
