import { ProblemError, problem } from '../../contract/problems.js';
import { commonCompose, composeCommand, composeHere } from '../../run/engines/compose.js';
import { benchRunners, driverName } from '../../run/engines/deployed.js';
import type { EngineCommand, EngineCommands } from '../../run/engines/engine-commands.js';

/** A driver to start: its run, its command line behind `ringside`, and its image. */
export interface Order {
  runId: string;
  args: readonly string[];
  image: string;
  /** The Compose file; by default that of Ringside. */
  files?: string | undefined;
}

/** The command that starts a driver, and the manifest that it reads from stdin. */
interface Start extends EngineCommand {
  manifest?: object;
}

const days = (count: number): number => count * 86_400;

/** The driver as a Job: it is tried once, and runs with the rights of a bench-runner. */
function jobOf(order: Order): object {
  const secret = { name: 'ringside', key: 'token', optional: true };
  const container = {
    name: 'driver',
    image: order.image,
    args: [...order.args],
    env: [{ name: 'RINGSIDE_TOKEN', valueFrom: { secretKeyRef: secret } }],
    // RINGSIDE_PUBLISH_TOKEN and other secret options.
    envFrom: [{ secretRef: { name: 'ringside-options', optional: true } }],
    resources: { requests: { cpu: '500m', memory: '512Mi' }, limits: { memory: '1Gi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
  };
  const pod = {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    // Else every service gives the pod variables in our name.
    enableServiceLinks: false,
    securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [container],
  };
  const labels = { 'app.kubernetes.io/name': 'ringside-driver', 'app.kubernetes.io/instance': order.runId };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: driverName(order.runId), labels },
    spec: { backoffLimit: 0, ttlSecondsAfterFinished: days(1), template: { metadata: { labels }, spec: pod } },
  };
}

/** RINGSIDE_ROLE is split at spaces. Throws `ProblemError` for an argument that holds one. */
function roleOf({ args }: Order): string {
  const spaced = args.filter((each) => /\s/.test(each) || each === '');
  if (spaced.length === 0) return args.join(' ');
  const message = `--on railway: expected arguments without spaces, received ${spaced.join(', ')}`;
  throw new ProblemError([problem('badOption', message)]);
}

/** How each engine starts a driver, by its own command; without `commands`, what is here is not asked. */
export const engines = {
  async kubernetes(order: Order): Promise<Start> {
    return { program: 'kubectl', args: ['create', '-f', '-'], manifest: jobOf(order) };
  },
  async compose(order: Order, commands?: EngineCommands): Promise<Start> {
    const compose = commands ? await composeHere(commands) : commonCompose;
    const args = [
      'run',
      '--detach',
      '--rm',
      '--no-deps',
      '--name',
      driverName(order.runId),
      benchRunners,
      ...order.args,
    ];
    return composeCommand(compose, order.files, args);
  },
  async railway(order: Order): Promise<Start> {
    const variables = { RINGSIDE_ROLE: roleOf(order), RINGSIDE_TOKEN: `\${{${benchRunners}.RINGSIDE_TOKEN}}` };
    const given = Object.entries(variables).flatMap(([key, value]) => ['--variables', `${key}=${value}`]);
    return {
      program: 'railway',
      args: ['add', '--service', driverName(order.runId), '--image', order.image, ...given],
    };
  },
} as const;

export const engineNames = Object.keys(engines) as [keyof typeof engines, ...(keyof typeof engines)[]];
