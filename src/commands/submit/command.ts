import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type Problem, ProblemError, problem } from '../../contract/problems.js';
import { version } from '../../contract/version.js';
import { optionsOf } from '../../options/option.js';
import { benchRunners } from '../../run/engines/deployed.js';
import { commandLine } from '../../run/engines/engine-commands.js';
import { switchOf, valued } from '../../run/plan/option-kinds.js';
import { fleetOptions, targetOptions } from '../../run/plan/run-options.js';
import { yamlText } from '../../units/yaml-file.js';
import { plain } from '../command.js';
import { engineNames, engines } from './engines.js';

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

/** `ringside submit`: starts the driver of a run beside its shards; `attach` follows it and fetches its result. */
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

/** What a driver elsewhere can't run: its result must stay on shards, and a manifest is no place for secrets. */
function faultsOf(args: readonly string[]): Problem[] {
  const wrong = (text: string): Problem => problem('badOption', text);
  const flagsGiven = args.flatMap((each) => /^--([a-z-]+)/.exec(each)?.[1] ?? []);
  const secrets = [fleetOptions, targetOptions].flatMap((schema) => optionsOf(schema)).filter((each) => each.isSecret);
  // Of all sources, only Railway needs no program of an engine where the driver runs.
  const isSharded = flagsGiven.includes('shard') || /--shards-from[= ]railway/.test(args.join(' '));
  return [
    ...(args[0] === 'run' ? [] : [wrong(`<command>: expected run SCENARIO, received ${args[0]}`)]),
    ...(isSharded ? [] : [wrong(`<command>: expected ${shardForm}, as the result stays on the shards`)]),
    ...secrets
      .filter(({ flag }) => flagsGiven.includes(flag))
      .map(({ flag, env }) => wrong(`--${flag}: expected ${env} in the engine's own secrets, received it as text`)),
  ];
}
