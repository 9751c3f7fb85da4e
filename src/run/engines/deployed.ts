import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The service of Compose, the StatefulSet of Kubernetes and the service of Railway with the bench-runners. */
export const benchRunners = 'bench-runner';

/** The Job, container or service of a driver that `ringside submit` starts. */
export function driverName(runId: string): string {
  return `ringside-${runId}`;
}

/** Whether a driver of `ringside submit` has this name. */
export function isDriverName(name: string): boolean {
  return /^ringside-[0-9a-f]{8}$/.test(name);
}

/** From the sources `deploy/` is three folders up, from the compiled files four. */
const folders = ['../../../deploy/', '../../../../deploy/'];

/** The path of a file or folder in `deploy/` of this package. */
export function deployFile(name: string): string {
  const paths = folders.map((folder) => fileURLToPath(new URL(folder + name, import.meta.url)));
  return paths.find((path) => existsSync(path)) ?? (paths[0] as string);
}
