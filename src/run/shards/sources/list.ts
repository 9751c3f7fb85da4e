import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { parseYaml } from '../../../units/text.js';
import { benchRunners, CommandFailed, type EngineCommands } from '../../engines/engine-commands.js';

/** Port on which bench-runners of an engine listen, unless the engine reports another. */
const benchRunnerPort = 8080;

export interface Found {
  /** URLs in the form that `--shard` accepts. */
  urls: string[];
  /** Bench-runners without an address yet, each with the reason. */
  pending: string[];
}

interface ShardSource {
  name: string;
  /** Description of the lookup, for the table in the docs. */
  asks: string;
  /** Argument that may follow the name after a colon. */
  argument: { word: string; means: string; isNeeded?: boolean };
  hint: string;
  /** Asks the source. Throws `CommandFailed`, or any other `Error` for an answer that can't be read. */
  find(argument: string | undefined, engine: EngineCommands): Promise<Found>;
}

function urlAt(address: string, port: number): string {
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/** Compares names by their trailing numbers: `shard-2` comes before `shard-10`. */
export function byNumber(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}

/** Railway sets it in all its deployments. */
const insideVariable = 'RAILWAY_ENVIRONMENT_ID';

const variables = z.object({ RAILWAY_PUBLIC_DOMAIN: z.string().min(1).optional() });

/** Inside a deployment it finds every replica by private network, elsewhere one public domain each. */
export const railway: ShardSource = {
  name: 'railway',
  asks: 'the private names inside Railway, else `railway variables` for the public domain',
  argument: { word: 'SERVICE,…', means: `services; by default ${benchRunners}` },
  hint: 'Run `railway login` and `railway link`, or run the driver in the same Railway environment.',
  async find(services = benchRunners, engine) {
    const names = services.split(',');
    if (engine.env[insideVariable])
      return { urls: names.map((name) => `dns+http://${name}.railway.internal:${benchRunnerPort}`), pending: [] };
    const domains = await Promise.all(names.map((name) => publicDomain(name, engine)));
    return {
      urls: domains.flatMap((domain) => (domain === undefined ? [] : [`https://${domain}`])),
      pending: names.filter((_, index) => domains[index] === undefined).map((name) => `${name}: no public domain`),
    };
  },
};

async function publicDomain(service: string, engine: EngineCommands): Promise<string | undefined> {
  const printed = await engine.ask('railway', ['variables', '--service', service, '--json']);
  return variables.parse(JSON.parse(printed)).RAILWAY_PUBLIC_DOMAIN;
}

/** Label of the pods in `deploy/kubernetes`. */
const ownPods = 'app.kubernetes.io/name=ringside-bench-runner';

const waiting = z.object({ reason: z.string().optional(), message: z.string().optional() });
/** Matches the needed part of the output of `kubectl get pods -o json`. */
const pods = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string(), deletionTimestamp: z.string().optional() }),
      spec: z.object({
        containers: z.array(z.object({ ports: z.array(z.object({ containerPort: z.number() })).optional() })),
      }),
      status: z.object({
        phase: z.string().optional(),
        podIP: z.string().optional(),
        conditions: z
          .array(z.object({ type: z.string(), status: z.string(), message: z.string().optional() }))
          .optional(),
        containerStatuses: z
          .array(z.object({ state: z.object({ waiting: waiting.optional() }).optional() }))
          .optional(),
      }),
    }),
  ),
});

type Pod = z.output<typeof pods>['items'][number];

/** Finds ready pods of the current context and namespace of `kubectl`, by their own addresses. */
export const kubernetes: ShardSource = {
  name: 'kubernetes',
  asks: '`kubectl get pods`',
  argument: { word: 'SELECTOR', means: `label selector; by default ${ownPods}` },
  hint: 'Check `kubectl config current-context` and its namespace, or give each address by --shard.',
  async find(selector = ownPods, engine) {
    return readPods(await engine.ask('kubectl', ['get', 'pods', '--selector', selector, '--output', 'json']));
  },
};

export function readPods(json: string): Found {
  const found: Found = { urls: [], pending: [] };
  const { items } = pods.parse(JSON.parse(json));
  for (const pod of items.sort((one, other) => byNumber(one.metadata.name, other.metadata.name))) {
    const { podIP } = pod.status;
    if (podIP !== undefined && isReady(pod)) found.urls.push(urlAt(podIP, portOf(pod)));
    else found.pending.push(`pod ${pod.metadata.name}: ${stateOf(pod)}`);
  }
  return found;
}

function isReady({ metadata, status }: Pod): boolean {
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  return metadata.deletionTimestamp === undefined && ready?.status === 'True';
}

function portOf({ spec }: Pod): number {
  return spec.containers.flatMap(({ ports }) => ports ?? [])[0]?.containerPort ?? benchRunnerPort;
}

function stateOf({ metadata, status }: Pod): string {
  if (metadata.deletionTimestamp !== undefined) return 'is ending';
  const held = status.containerStatuses?.find(({ state }) => state?.waiting)?.state?.waiting;
  if (held) return [held.reason, held.message].filter(Boolean).join(': ');
  const unmet = status.conditions?.find(({ status: is, message }) => is === 'False' && message);
  return unmet?.message ?? `${status.phase ?? 'unknown'}, not ready`;
}

const listed = z.union([
  z.array(z.string()),
  z.object({ shards: z.array(z.string()) }).transform(({ shards }) => shards),
]);

/** Reads a file with one URL per line, or YAML: a list, or a list under `shards`. */
export const file: ShardSource = {
  name: 'file',
  asks: 'the file',
  argument: { word: 'PATH', means: 'file with one URL per line, or a YAML list', isNeeded: true },
  hint: 'Write one URL per line, or a YAML list of them. `#` begins a comment.',
  async find(path = '') {
    return { urls: readUrls(await readFile(path, 'utf8')), pending: [] };
  },
};

export function readUrls(text: string): string[] {
  const lines = text.split('\n').map((line) => line.replace(/(^|\s)#.*$/, '').trim());
  const filled = lines.filter((line) => line !== '');
  if (filled.every((line) => /^[a-z+]+:\/\/\S+$/i.test(line))) return filled;
  const read = listed.safeParse(parseYaml(text));
  if (!read.success) throw new Error('expected one URL per line, or a YAML list of URLs');
  return read.data;
}

const engines = ['docker', 'podman'];
/** Every Compose labels its containers so, with Docker and with Podman. */
const composeLabels = 'com.docker.compose';

const binding = z.object({ HostIp: z.string().nullish(), HostPort: z.string() });
/** Matches the needed part of `inspect` output, for both engines. */
const containers = z.array(
  z.object({
    Name: z.string(),
    State: z.object({ Status: z.string() }),
    Config: z.object({ Labels: z.record(z.string(), z.string()).nullish() }).optional(),
    NetworkSettings: z.object({
      Ports: z.record(z.string(), z.array(binding).nullable()).nullish(),
      Networks: z.record(z.string(), z.object({ IPAddress: z.string().nullish() })).nullish(),
    }),
  }),
);

type Container = z.output<typeof containers>[number];

/** Finds running containers of the Compose service `bench-runner`, by their published port or their own address. */
export const composeSource: ShardSource = {
  name: 'compose',
  asks: `\`docker\` or \`podman\`: \`ps\` and \`inspect\` of the containers of the service \`${benchRunners}\``,
  argument: { word: 'PROJECT', means: 'Compose project; by default any' },
  hint: 'Start the service bench-runner first with `docker compose up`, or give addresses by --shard.',
  async find(project, engine) {
    const labels = [`service=${benchRunners}`, ...(project ? [`project=${project}`] : [])];
    const filters = labels.flatMap((label) => ['--filter', `label=${composeLabels}.${label}`]);
    const failures: CommandFailed[] = [];
    for (const program of engines) {
      try {
        const printed = await engine.ask(program, ['ps', '--all', '--quiet', ...filters]);
        const ids = printed.split(/\s+/).filter((id) => id !== '');
        if (ids.length > 0) return readContainers(await engine.ask(program, ['inspect', ...ids]));
      } catch (error) {
        if (!(error instanceof CommandFailed)) throw error;
        failures.push(error);
      }
    }
    if (failures.length < engines.length) return { urls: [], pending: [] };
    const areMissing = failures.every(({ isMissing }) => isMissing);
    throw new CommandFailed(failures.map(({ message }) => message).join('; '), areMissing);
  },
};

export function readContainers(json: string): Found {
  const found: Found = { urls: [], pending: [] };
  const inOrder = containers.parse(JSON.parse(json)).sort((one, other) => byNumber(one.Name, other.Name));
  for (const container of inOrder) {
    const name = container.Name.replace(/^\//, '');
    // A driver that `compose run` started is no bench-runner.
    if (container.Config?.Labels?.[`${composeLabels}.oneoff`] === 'True') continue;
    const url = urlOf(container);
    const state = container.State.Status;
    if (state !== 'running') found.pending.push(`${name}: ${state}`);
    else if (url === undefined) found.pending.push(`${name}: no published port and no address`);
    else found.urls.push(url);
  }
  return found;
}

function urlOf({ NetworkSettings: { Ports, Networks } }: Container): string | undefined {
  const [published] = Ports?.[`${benchRunnerPort}/tcp`] ?? [];
  if (published) {
    const { HostIp: host } = published;
    const isAny = !host || host === '0.0.0.0' || host === '::';
    return urlAt(isAny ? '127.0.0.1' : host, Number(published.HostPort));
  }
  const own = Object.values(Networks ?? {}).find(({ IPAddress }) => IPAddress)?.IPAddress;
  return own ? urlAt(own, benchRunnerPort) : undefined;
}

export const sources: readonly ShardSource[] = [composeSource, kubernetes, railway, file];

/** Returns the source that a text such as `file:shards.txt` names, with its argument; undefined if it names none. */
export function sourceOf(text: string): { source: ShardSource; argument: string | undefined } | undefined {
  const [, name, argument] = /^([^:]*)(?::(.+))?$/.exec(text) ?? [];
  const source = sources.find((each) => each.name === name);
  if (!source || (source.argument.isNeeded && argument === undefined)) return undefined;
  return { source, argument };
}

/** Forms in which users write each source, such as `file:PATH`. */
export const sourceForms = sources.map(({ name, argument: { word, isNeeded } }) =>
  isNeeded ? `${name}:${word}` : name,
);
