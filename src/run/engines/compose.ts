import { benchRunners, CommandFailed, deployFile, type EngineCommand, type EngineCommands } from './engine-commands.js';

/** Names the Compose project of a fleet. */
const project = 'ringside';

/** Labels that every Compose sets on its containers, with Docker and with Podman. */
const labels = { project: 'com.docker.compose.project', service: 'com.docker.compose.service' };

/** Label that is `True` for a container started by `compose run`. */
export const oneOffLabel = 'com.docker.compose.oneoff';

/** Returns the arguments of `ps` that select the bench-runners of a project; by default those of any project. */
export function runnerFilters(ofProject: string | undefined): string[] {
  const wanted = [`${labels.service}=${benchRunners}`, ...(ofProject ? [`${labels.project}=${ofProject}`] : [])];
  return wanted.flatMap((label) => ['--filter', `label=${label}`]);
}

/** Compose exists as a plugin of Docker, as a program, and for Podman. */
const composes = [['docker', 'compose'], ['docker-compose'], ['podman-compose']] as const;

type Compose = (typeof composes)[number];

/** Default Compose in commands that Ringside shows. */
export const commonCompose: Compose = composes[0];

/** Returns the first Compose that reports its version. Throws `CommandFailed` if none does. */
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

/** Returns a command about the fleet of a Compose file, by default that of Ringside. */
export function composeCommand(
  [program, ...ofProgram]: Compose,
  files: string | undefined,
  args: readonly string[],
): EngineCommand {
  const ofFleet = ['--project-name', project, '--file', files ?? deployFile('compose.yaml')];
  return { program, args: [...ofProgram, ...ofFleet, ...args] };
}
