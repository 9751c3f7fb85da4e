import { packageFile } from '../../units/package-files.js';

/** The service of Compose, the StatefulSet of Kubernetes and the service of Railway with the bench-runners. */
export const benchRunners = 'bench-runner';

/** The Job, container or service of a driver that `ringside submit` starts. */
export function deployedName(runId: string): string {
  return `ringside-${runId}`;
}

/** Whether a driver of `ringside submit` has this name. */
export function isDriverName(name: string): boolean {
  return /^ringside-[0-9a-f]{8}$/.test(name);
}

/** The path of a file or folder in `deploy/` of this package. */
export function deployFile(name: string): string {
  return packageFile('deploy', name);
}
