import { z } from 'zod';
import { oneOffLabel, runnerFilters } from '../../engines/compose.js';
import { benchRunners, isDriverName } from '../../engines/deployed.js';
import { CommandFailed, type EngineCommands } from '../../engines/engine-commands.js';
import { benchRunnerPort, byNumber, type Found, type ShardSource, urlAt } from './source.js';

const engines = ['docker', 'podman'];

const binding = z.object({ HostIp: z.string().nullish(), HostPort: z.string() });
/** What `inspect` of both engines says of a container. */
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

/** Running containers of the Compose service `bench-runner`, by their published port or their own address. */
export const compose: ShardSource = {
  name: 'compose',
  asks: `\`docker\` or \`podman\`: \`ps\` and \`inspect\` of the containers of the service \`${benchRunners}\``,
  argument: { word: 'PROJECT', means: 'Compose project; by default any' },
  hint: 'Start the service bench-runner first (`ringside fleet up --on compose`), or give each address by --shard.',
  async find(project, engine) {
    const failures: CommandFailed[] = [];
    for (const program of engines) {
      try {
        const ids = await idsOf(program, project, engine);
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

async function idsOf(program: string, project: string | undefined, engine: EngineCommands): Promise<string[]> {
  return (await engine.ask(program, ['ps', '--all', '--quiet', ...runnerFilters(project)]))
    .split(/\s+/)
    .filter((id) => id !== '');
}

/** Reads what `docker inspect` or `podman inspect` prints. Throws for anything else. */
export function readContainers(json: string): Found {
  const found: Found = { urls: [], pending: [] };
  const inOrder = containers.parse(JSON.parse(json)).sort((one, other) => byNumber(one.Name, other.Name));
  for (const container of inOrder) {
    const name = container.Name.replace(/^\//, '');
    // Podman's Compose labels a submitted driver as one of the service.
    if (container.Config?.Labels?.[oneOffLabel] === 'True' || isDriverName(name)) continue;
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
