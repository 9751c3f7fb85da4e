import { deployFile } from './deployed.js';
import { CommandFailed, type EngineCommand, type EngineCommands } from './engine-commands.js';

/** The Compose project of a fleet. */
const project = 'ringside';

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
