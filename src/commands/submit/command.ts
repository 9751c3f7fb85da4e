import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { z } from 'zod';
import { type Problem, ProblemError, problem, problemError } from '../../contract/problems.js';
import { version } from '../../contract/version.js';
import { optionsOf } from '../../options/option.js';
import { benchRunners, commandLine, deployedName } from '../../run/engines/engine-commands.js';
import { packBundle } from '../../run/flow/bundle.js';
import { readModules } from '../../run/flow/read-modules.js';
import { isProtocolFile, moduleOfProtocol, readProtocols, spokenProtocol } from '../../run/flow/read-protocols.js';
import { fleetOptions, switchOf, targetOptions, valued } from '../../run/plan/run-options.js';
import { flow } from '../../scenarios/flow/index.js';
import { yamlText } from '../../units/text.js';
import { plain } from '../command.js';

/** Where a driver elsewhere finds the files of the user. */
const moduleFolder = '/modules';

/** Most bytes that a Secret of Kubernetes holds. */
const mostBytes = 2 ** 20;

/** Paths below the folder, and what lies there: packed bundles. */
type CarriedModules = Readonly<Record<string, Uint8Array>>;

/** Describes a driver to start: its run, its command line after `ringside`, and its image. */
interface Order {
  runId: string;
  args: readonly string[];
  image: string;
  /** Files of the user that its arguments name. */
  modules?: CarriedModules;
}

const secondsOfADay = 86_400;

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

/** Returns the driver as a Job. It is tried once, and runs with the rights of a bench-runner. */
function jobOf(order: Order): object {
  const secret = { name: 'ringside', key: 'token', optional: true };
  const items = Object.keys(order.modules ?? {}).map((path, index) => ({ key: `module-${index}`, path }));
  const hasFiles = items.length > 0;
  const mounts = [
    { name: 'modules', mountPath: moduleFolder, readOnly: true },
    { name: 'tmp', mountPath: '/tmp' },
  ];
  const volumes = [
    { name: 'modules', secret: { secretName: modulesOf(order.runId), items } },
    { name: 'tmp', emptyDir: {} },
  ];
  const container = {
    name: 'driver',
    image: order.image,
    args: [...order.args],
    env: [{ name: 'RINGSIDE_TOKEN', valueFrom: { secretKeyRef: secret } }],
    // Sets RINGSIDE_PUBLISH_TOKEN and other secret options.
    envFrom: [{ secretRef: { name: 'ringside-options', optional: true } }],
    resources: { requests: { cpu: '500m', memory: '512Mi' }, limits: { memory: '1Gi' } },
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    ...(hasFiles && { volumeMounts: mounts }),
  };
  const pod = {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    // Otherwise every service sets variables with our prefix in the pod.
    enableServiceLinks: false,
    securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [container],
    ...(hasFiles && { volumes }),
  };
  const labels = labelsOf(order.runId);
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: deployedName(order.runId), labels },
    spec: { backoffLimit: 0, ttlSecondsAfterFinished: secondsOfADay, template: { metadata: { labels }, spec: pod } },
  };
}

const flags = z.strictObject({
  image: z
    .string()
    .min(1)
    .default(`ringside:${version}`)
    .meta(valued('image', 'image', 'image of the driver')),
  isDryRun: switchOf('dry-run', 'print the command and its manifest, and start nothing'),
});

const create = { program: 'kubectl', args: ['create', '-f', '-'] };

/** `ringside submit`: starts the driver of a run as a Job of Kubernetes. `attach` follows it, fetches its result. */
export const command = plain({
  arguments: [{ form: '<command...>', help: 'run of that driver, behind --: run latency --shard …' }],
  flags,
  examples: [
    'submit --dry-run -- run latency --shard http://bench-runner-0.bench-runner:8080 \\\n' +
      '      --target-url ws://server:3000/ws --protocol ws-json --publish-url http://server:3000/_broadcast',
  ],
  async run(session, { args, own: { isDryRun, image } }) {
    const problems = faultsOf(args);
    if (problems.length > 0) throw new ProblemError(problems);
    const runId = randomBytes(4).toString('hex');
    const carried = await carryModules(args);
    const order = { image, ...carried, runId, args: [...carried.args, '--leave', '--run-id', runId] };
    const hasFiles = Object.keys(carried.modules).length > 0;
    const job = jobOf(order);
    const whole = hasFiles ? { apiVersion: 'v1', kind: 'List', items: [secretOf(order), job] } : job;
    if (isDryRun) session.note(`$ ${commandLine(create.program, create.args)}`);
    // The files of the user may hold secrets.
    if (isDryRun) session.print(yamlText(whole));
    else session.note(yamlText(job));
    if (!isDryRun) await session.engines.pass({ ...create, stdin: JSON.stringify(whole) });
    if (hasFiles) session.note(`files of the run: kubectl delete secret ${modulesOf(runId)} when it is over`);
    session.note(`run ${runId}: ringside attach ${runId} --shard …`);
  },
});

const shardForm = `--shard, such as dns+http://${benchRunners}:8080`;

/** The result must stay on shards, and a manifest is no place for secrets. */
function faultsOf(args: readonly string[]): Problem[] {
  const wrong = (text: string): Problem => problem('badOption', text);
  const flagsGiven = args.flatMap((each) => /^--([a-z-]+)/.exec(each)?.[1] ?? []);
  const secrets = [fleetOptions, targetOptions].flatMap((schema) => optionsOf(schema)).filter((each) => each.isSecret);
  return [
    ...(args[0] === 'run' ? [] : [wrong(`<command>: expected run SCENARIO, received ${args[0]}`)]),
    ...(flagsGiven.includes('shard')
      ? []
      : [wrong(`<command>: expected ${shardForm}, as the result stays on the shards`)]),
    ...secrets
      .filter(({ flag }) => flagsGiven.includes(flag))
      .map(({ flag, env }) => wrong(`--${flag}: expected ${env} in the engine's own secrets, received it as text`)),
  ];
}

const flowFile = /^[^-].*\.[cm]?[jt]s(=\d+)?$/;

function filesAmong(args: readonly string[]): { flows: number[]; protocols: number[] } {
  const isProtocol = (each: string, at: number): boolean =>
    isProtocolFile(args[at - 1] === '--protocol' ? each : /^--protocol=(.+)/.exec(each)?.[1]);
  const protocols = args.flatMap((each, at) => (isProtocol(each, at) ? [at] : []));
  const isFlow = (each: string, at: number): boolean => at > 1 && !protocols.includes(at) && flowFile.test(each);
  return { flows: args[1] === flow.name ? args.flatMap((each, at) => (isFlow(each, at) ? [at] : [])) : [], protocols };
}

/** Bundles the files of a run, and names them as the driver finds them. Throws `ProblemError`. */
async function carryModules(args: readonly string[]): Promise<{ args: string[]; modules: CarriedModules }> {
  const { flows, protocols } = filesAmong(args);
  const carried = [...args];
  const modules: Record<string, Uint8Array> = {};
  const carry = (at: number, path: string, body: Uint8Array): void => {
    const place = `${at}/${basename(path)}`;
    carried[at] = args[at]!.replace(path, `${moduleFolder}/${place}`);
    modules[place] = packBundle(body);
  };
  const read = await readModules(
    flow,
    flows.map((at) => args[at]!),
  );
  for (const [index, { body }] of read.entries()) carry(flows[index]!, args[flows[index]!]!.replace(/=\d+$/, ''), body);
  for (const at of protocols) {
    const path = args[at]!.replace(/^--protocol=/, '');
    await readProtocols([path]);
    carry(at, path, moduleOfProtocol(spokenProtocol(path)!)!.body);
  }
  const bytes = Object.values(modules).reduce((sum, { length }) => sum + length, 0);
  if (bytes <= mostBytes) return { args: carried, modules };
  const [most, received] = [mostBytes, bytes].map((each) => `${(each / 2 ** 20).toFixed(2)} MiB`);
  const message = `${Object.keys(modules).map((each) => basename(each))}: expected at most ${most} when packed`;
  const hint = 'Leave out packages and rows, or run the driver yourself on a machine beside the shards.';
  throw problemError('badFlow', `${message}, as a Secret holds no more, received ${received}`, hint);
}
