import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type Problem, ProblemError, problem } from '../../contract/problems.js';
import { version } from '../../contract/version.js';
import { optionsOf } from '../../options/option.js';
import { commonCompose, composeCommand, composeHere } from '../../run/engines/compose.js';
import {
  benchRunners,
  commandLine,
  deployedName,
  type EngineCommand,
  type EngineCommands,
} from '../../run/engines/engine-commands.js';
import { switchOf, valued } from '../../run/plan/option-kinds.js';
import { fleetOptions, targetOptions } from '../../run/plan/run-options.js';
import { yamlText } from '../../units/yaml-file.js';
import { plain } from '../command.js';

/** Describes a driver to start: its run, its command line after `ringside`, and its image. */
export interface Order {
  runId: string;
  args: readonly string[];
  image: string;
  /** Path of the Compose file; by default that of Ringside. */
  files?: string | undefined;
}

/** Holds the command that starts a driver, and the manifest that the command reads from stdin. */
interface Start extends EngineCommand {
  manifest?: object;
}

const days = (count: number): number => count * 86_400;

/** Returns the driver as a Job. It is tried once, and runs with the rights of a bench-runner. */
function jobOf(order: Order): object {
  const secret = { name: 'ringside', key: 'token', optional: true };
  const container = {
    name: 'driver',
    image: order.image,
    args: [...order.args],
    env: [{ name: 'RINGSIDE_TOKEN', valueFrom: { secretKeyRef: secret } }],
    // Sets RINGSIDE_PUBLISH_TOKEN and other secret options.
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
    // Otherwise every service sets variables with our prefix in the pod.
    enableServiceLinks: false,
    securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [container],
  };
  const labels = { 'app.kubernetes.io/name': 'ringside-driver', 'app.kubernetes.io/instance': order.runId };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: deployedName(order.runId), labels },
    spec: { backoffLimit: 0, ttlSecondsAfterFinished: days(1), template: { metadata: { labels }, spec: pod } },
  };
}

/**
 * Returns the arguments as RINGSIDE_ROLE, which is split at spaces. Throws `ProblemError` for an argument that contains
 * one.
 */
function roleOf({ args }: Order): string {
  const spaced = args.filter((each) => /\s/.test(each) || each === '');
  if (spaced.length === 0) return args.join(' ');
  const message = `--on railway: expected arguments without spaces, received ${spaced.join(', ')}`;
  throw new ProblemError([problem('badOption', message)]);
}

/**
 * Returns how each engine starts a driver with its own command. Without `commands`, nothing on this machine is checked.
 */
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
      deployedName(order.runId),
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
      args: ['add', '--service', deployedName(order.runId), '--image', order.image, ...given],
    };
  },
} as const;

export const engineNames = Object.keys(engines) as [keyof typeof engines, ...(keyof typeof engines)[]];

const flags = z.strictObject({
  on: z.enum(engineNames).meta({ flag: 'on', help: 'the engine that runs the driver' }),
  image: z.string().min(1).default(`ringside:${version}`).meta({
    flag: 'image',
    placeholder: 'image',
    help: 'image of the driver; with compose, the service has its own',
  }),
  files: z
    .string()
    .min(1)
    .optional()
    .meta(valued('files', 'path', 'Compose file with the bench-runners; by default that of Ringside')),
  isDryRun: switchOf('dry-run', 'print the command and its manifest, and start nothing'),
});

/** `ringside submit`: starts the driver of a run beside its shards. `attach` follows it and fetches its result. */
export const command = plain({
  arguments: [{ form: '<command...>', help: 'run of that driver, behind --: run latency --shard …' }],
  flags,
  examples: [
    'submit --on kubernetes --dry-run -- run latency --shard http://bench-runner-0.bench-runner:8080 \\\n' +
      '      --target-url ws://server:3000/ws --protocol ws-json --publish-url http://server:3000/_broadcast',
  ],
  async run(session, { args, own: { on, isDryRun, ...more } }) {
    const problems = faultsOf(args);
    if (problems.length > 0) throw new ProblemError(problems);
    const runId = randomBytes(4).toString('hex');
    const order = { ...more, runId, args: [...args, '--leave', '--run-id', runId] };
    const { manifest, ...start } = await engines[on](order, isDryRun ? undefined : session.engines);
    if (isDryRun) session.note(`$ ${commandLine(start)}`);
    if (manifest) (isDryRun ? session.print : session.note)(yamlText(manifest));
    if (!isDryRun) await session.engines.pass({ ...start, stdin: manifest && JSON.stringify(manifest) });
    session.note(`run ${runId}: ringside attach ${runId} --shard …`);
  },
});

const shardForm = `--shard, such as dns+http://${benchRunners}:8080`;

/**
 * Returns what a driver elsewhere can't run. Its result must stay on shards, and a manifest is no place for secrets.
 */
function faultsOf(args: readonly string[]): Problem[] {
  const wrong = (text: string): Problem => problem('badOption', text);
  const flagsGiven = args.flatMap((each) => /^--([a-z-]+)/.exec(each)?.[1] ?? []);
  const secrets = [fleetOptions, targetOptions].flatMap((schema) => optionsOf(schema)).filter((each) => each.isSecret);
  // Only Railway needs no program of an engine where the driver runs.
  const isSharded = flagsGiven.includes('shard') || /--shards-from[= ]railway/.test(args.join(' '));
  return [
    ...(args[0] === 'run' ? [] : [wrong(`<command>: expected run SCENARIO, received ${args[0]}`)]),
    ...(isSharded ? [] : [wrong(`<command>: expected ${shardForm}, as the result stays on the shards`)]),
    ...secrets
      .filter(({ flag }) => flagsGiven.includes(flag))
      .map(({ flag, env }) => wrong(`--${flag}: expected ${env} in the engine's own secrets, received it as text`)),
  ];
}
