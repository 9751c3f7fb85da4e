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
import { type CarriedModules, carryModules, filesAmong, moduleFolder } from './modules.js';

/** Describes a driver to start: its run, its command line after `ringside`, and its image. */
export interface Order {
  runId: string;
  args: readonly string[];
  image: string;
  /** Files of the user that its arguments name. */
  modules?: CarriedModules;
  /** Path of the Compose file; by default that of Ringside. */
  files?: string | undefined;
}

/** Holds the command that starts a driver, and the manifest that the command reads from stdin. */
interface Start extends EngineCommand {
  manifest?: object;
  /** Goes with the manifest, and is not shown. */
  secret?: object;
}

const days = (count: number): number => count * 86_400;

/** Returns the files of the user as a Secret, since their data may hold some. */
function secretOf({ runId, modules = {} }: Order): object {
  const data = Object.values(modules).map((body, index) => [`module-${index}`, Buffer.from(body).toString('base64')]);
  const metadata = { name: modulesOf(runId), labels: labelsOf(runId) };
  return { apiVersion: 'v1', kind: 'Secret', metadata, immutable: true, data: Object.fromEntries(data) };
}

const modulesOf = (runId: string): string => `${deployedName(runId)}-modules`;

const labelsOf = (runId: string) => ({
  'app.kubernetes.io/name': 'ringside-driver',
  'app.kubernetes.io/instance': runId,
});

/** Returns where a driver has the files of the user, and where it writes them. */
function volumesOf({ runId, modules = {} }: Order) {
  const items = Object.keys(modules).map((path, index) => ({ key: `module-${index}`, path }));
  if (items.length === 0) return undefined;
  return {
    mounts: [
      { name: 'modules', mountPath: moduleFolder, readOnly: true },
      { name: 'tmp', mountPath: '/tmp' },
    ],
    volumes: [
      { name: 'modules', secret: { secretName: modulesOf(runId), items } },
      { name: 'tmp', emptyDir: {} },
    ],
  };
}

/** Returns the driver as a Job. It is tried once, and runs with the rights of a bench-runner. */
function jobOf(order: Order): object {
  const secret = { name: 'ringside', key: 'token', optional: true };
  const files = volumesOf(order);
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
    ...(files && { volumeMounts: files.mounts }),
  };
  const pod = {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    // Otherwise every service sets variables with our prefix in the pod.
    enableServiceLinks: false,
    securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [container],
    ...(files && { volumes: files.volumes }),
  };
  const labels = labelsOf(order.runId);
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
    const secret = Object.keys(order.modules ?? {}).length > 0 ? secretOf(order) : undefined;
    return { program: 'kubectl', args: ['create', '-f', '-'], manifest: jobOf(order), ...(secret && { secret }) };
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
    const problems = [...faultsOf(args), ...(on === 'kubernetes' ? [] : fileFaults(on, args))];
    if (problems.length > 0) throw new ProblemError(problems);
    const runId = randomBytes(4).toString('hex');
    const carried = await carryModules(args);
    const order = { ...more, ...carried, runId, args: [...carried.args, '--leave', '--run-id', runId] };
    const { manifest, secret, ...start } = await engines[on](order, isDryRun ? undefined : session.engines);
    const whole = secret ? { apiVersion: 'v1', kind: 'List', items: [secret, manifest] } : manifest;
    if (isDryRun) session.note(`$ ${commandLine(start)}`);
    if (whole && isDryRun) session.print(yamlText(whole));
    else if (manifest) session.note(yamlText(manifest));
    if (!isDryRun) await session.engines.pass({ ...start, stdin: whole && JSON.stringify(whole) });
    if (secret) session.note(`files of the run: kubectl delete secret ${modulesOf(runId)} when it is over`);
    session.note(`run ${runId}: ringside attach ${runId} --shard …`);
  },
});

/** Returns the files of a run that only Kubernetes can take to its driver. */
function fileFaults(on: string, args: readonly string[]): Problem[] {
  const { flows, protocols } = filesAmong(args);
  const expected = `--on ${on}: expected a run without files of this machine, which only kubernetes takes`;
  return [...flows, ...protocols].map((at) => problem('badOption', `${expected}, received ${args[at]}`));
}

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
