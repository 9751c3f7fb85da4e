import { benchRunners, CommandFailed, deployFile, type EngineCommand, type EngineCommands } from './engine-commands.js';

/** The Compose project of a fleet. */
const project = 'ringside';

/** Every Compose labels its containers alike, with Docker and with Podman. */
const labels = { project: 'com.docker.compose.project', service: 'com.docker.compose.service' };

/** `True` of a container that `compose run` started. */
export const oneOffLabel = 'com.docker.compose.oneoff';

/** Arguments of `ps` for the bench-runners of a project, by default of any. */
export function runnerFilters(ofProject: string | undefined): string[] {
  const wanted = [`${labels.service}=${benchRunners}`, ...(ofProject ? [`${labels.project}=${ofProject}`] : [])];
  return wanted.flatMap((label) => ['--filter', `label=${label}`]);
}

/** Compose comes as a plugin of Docker, as a program, and with Podman. */
const composes = [['docker', 'compose'], ['docker-compose'], ['podman-compose']] as const;

type Compose = (typeof composes)[number];

/** The Compose to show where none is asked. */
export const commonCompose: Compose = composes[0];

/** The first Compose that names its version. Throws `CommandFailed` if none does. */
export async function composeHere(engine: EngineCommands): Promise<Compose> {
  const failures: string[] = [];
  for (const compose of composes) {
    const [program, ...args] = compose;
    try {
      await engine.ask(program, [...args, 'version']);
      return compose;
    } catch (error) {
      if (!(error instanceof CommandFailed)) throw error;
      failures.push(error.message);
    }
  }
  throw new CommandFailed(failures.join('; '), true);
}

/** A command about the fleet of a Compose file, by default that of Ringside. */
export function composeCommand(
  [program, ...ofProgram]: Compose,
  files: string | undefined,
  args: readonly string[],
): EngineCommand {
  const ofFleet = ['--project-name', project, '--file', files ?? deployFile('compose.yaml')];
  return { program, args: [...ofProgram, ...ofFleet, ...args] };
}

/** The number of bench-runners, for our own Compose file: not every Compose has `--scale`. */
export function numberOf(shards: number): Record<string, string> {
  return { BENCH_RUNNERS: String(shards) };
}

/** The command that ends a fleet. Podman's Compose ends only as many bench-runners as its file says. */
export async function downCommand(
  compose: Compose,
  files: string | undefined,
  engine: EngineCommands,
): Promise<EngineCommand> {
  const down = composeCommand(compose, files, ['down']);
  if (compose[0] !== 'podman-compose' || files !== undefined) return down;
  const names = await engine.ask('podman', ['ps', '--all', '--format', '{{.Names}}', ...runnerFilters(project)]);
  const numbers = [...names.matchAll(/_(\d+)$/gm)].map(([, number]) => Number(number));
  return numbers.length > 0 ? { ...down, env: numberOf(Math.max(...numbers)) } : down;
}
