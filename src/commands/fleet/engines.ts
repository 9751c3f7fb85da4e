import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { ProblemError, problem } from '../../contract/problems.js';
import { valued } from '../../run/plan/option-kinds.js';
import { CommandFailed, type EngineCommands } from '../../run/shards/sources/engine-commands.js';

export type Change = 'up' | 'down';

/** A command of an engine: its program and arguments. */
export type Step = readonly [program: string, ...args: string[]];

/** An engine that can start and end the fleet of `deploy/`. */
interface FleetEngine {
  /** Its file or folder in `deploy/`. */
  files: string;
  /** The commands of a change; `shards` is left out for as many as the files say. */
  steps(change: Change, files: string, shards: number | undefined, engine: EngineCommands): Promise<Step[]> | Step[];
}

/** The project of Compose, and its service. */
const project = 'ringside';
const runners = 'bench-runner';

/** Compose comes as a plugin of Docker, as a program, and with Podman. */
const composes: readonly Step[] = [['docker', 'compose'], ['docker-compose'], ['podman-compose']];

const engines = {
  compose: {
    files: 'compose.yaml',
    async steps(change, files, shards, engine) {
      const [program, ...args] = await composeHere(engine);
      const scale = shards === undefined ? [] : ['--scale', `${runners}=${shards}`];
      const asked = change === 'up' ? ['up', '--detach', ...scale] : ['down'];
      return [[program, ...args, '--project-name', project, '--file', files, ...asked]];
    },
  },
  kubernetes: {
    files: 'kubernetes',
    steps(change, files, shards) {
      const from = existsSync(join(files, 'kustomization.yaml')) ? '--kustomize' : '--filename';
      if (change === 'down') return [['kubectl', 'delete', '--ignore-not-found', from, files]];
      const scale: Step = ['kubectl', 'scale', `statefulset/${runners}`, `--replicas=${shards}`];
      return [['kubectl', 'apply', from, files], ...(shards === undefined ? [] : [scale])];
    },
  },
} as const satisfies Record<string, FleetEngine>;

type EngineName = keyof typeof engines;

const on = z
  .enum(Object.keys(engines) as [EngineName, ...EngineName[]])
  .meta({ flag: 'on', help: 'the engine whose own tool is called' });
const files = z
  .string()
  .min(1)
  .optional()
  .meta(valued('files', 'path', 'Compose file or folder of manifests; by default those of Ringside'));
const shards = z.number().int().min(1).max(1000).optional().meta({
  flag: 'shards',
  unit: 'count',
  help: 'bench-runners to start; by default as the files say',
});

/** Flags of `fleet up` and `fleet down`. */
export const changeOptions = { up: z.strictObject({ on, shards, files }), down: z.strictObject({ on, files }) };

/** From the sources `deploy/` is three folders up, from the compiled files four. */
const ownFiles = ['../../../deploy', '../../../../deploy'].map((path) => fileURLToPath(new URL(path, import.meta.url)));

/** Starts or ends a fleet by the tool of its engine. Throws `ProblemError` if a command of it fails. */
export async function applyTo(
  commands: EngineCommands,
  change: Change,
  given: { on: EngineName; files?: string | undefined; shards?: number | undefined },
): Promise<void> {
  const engine: FleetEngine = engines[given.on];
  const own = ownFiles.map((folder) => join(folder, engine.files));
  const path = given.files ?? own.find((each) => existsSync(each)) ?? own.at(-1) ?? '';
  try {
    for (const [program, ...args] of await engine.steps(change, path, given.shards, commands))
      await commands.pass(program, args);
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    throw new ProblemError([problem('engineFailed', error.message)]);
  }
}

/** The first Compose that names its version. Throws `CommandFailed` if none does. */
async function composeHere(engine: EngineCommands): Promise<Step> {
  const failures: string[] = [];
  for (const compose of composes) {
    const [program, ...args] = compose;
    try {
      await engine.run(program, [...args, 'version']);
      return compose;
    } catch (error) {
      if (!(error instanceof CommandFailed)) throw error;
      failures.push(error.message);
    }
  }
  throw new CommandFailed(failures.join('; '), true);
}
