import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type Problem, ProblemError, problem } from '../../contract/problems.js';
import { version } from '../../contract/version.js';
import { optionsOf } from '../../options/option.js';
import { switchOf } from '../../run/plan/option-kinds.js';
import { fleetOptions, targetOptions } from '../../run/plan/run-options.js';
import { yamlText } from '../../units/yaml-file.js';
import { plain, type Session } from '../command.js';
import { engineNames, engines, type Start } from './engines.js';

const flags = z.strictObject({
  on: z.enum(engineNames).meta({ flag: 'on', help: 'engine whose own command starts the driver' }),
  image: z.string().min(1).default(`ringside:${version}`).meta({
    flag: 'image',
    placeholder: 'image',
    help: 'image of the driver; the service has its own with compose',
  }),
  isDryRun: switchOf('dry-run', 'print the command and its manifest, and start nothing'),
});

/** `ringside submit`: starts the driver of a run beside its shards; `attach` follows it and fetches its result. */
export const command = plain({
  arguments: [{ form: '<command...>', help: 'run of that driver, behind --: run latency --shard …' }],
  flags,
  examples: [
    'submit --on kubernetes --dry-run -- run latency --shard http://bench-runner-0.bench-runner:8080 ' +
      '--target-url ws://server:3000/ws --protocol ws-json --publish-url http://server:3000/_broadcast',
  ],
  async run(session, { args, own: { on, image, isDryRun } }) {
    const problems = faultsOf(args);
    if (problems.length > 0) throw new ProblemError(problems);
    const runId = randomBytes(4).toString('hex');
    const start: Start = engines[on]({ runId, image, args: [...args, '--leave', '--run-id', runId] });
    session.note(`$ ${[start.program, ...start.args].map(quoted).join(' ')}`);
    if (start.manifest) (isDryRun ? session.print : session.note)(yamlText(start.manifest));
    if (!isDryRun) await startBy(start, session);
    session.note(`run ${runId}: ringside attach ${runId} --shard …`);
  },
});

/** What a driver elsewhere can't run: its result must stay on shards, and a manifest is no place for secrets. */
function faultsOf(args: readonly string[]): Problem[] {
  const wrong = (text: string): Problem => problem('badOption', text);
  const flagsGiven = args.flatMap((each) => /^--([a-z-]+)/.exec(each)?.[1] ?? []);
  const secrets = [fleetOptions, targetOptions].flatMap((schema) => optionsOf(schema)).filter((each) => each.isSecret);
  const isSharded = flagsGiven.some((flag) => flag.startsWith('shard'));
  return [
    ...(args[0] === 'run' ? [] : [wrong(`<command>: expected run SCENARIO, received ${args[0]}`)]),
    ...(isSharded ? [] : [wrong('<command>: expected --shard, as the result stays on the shards')]),
    ...secrets
      .filter(({ flag }) => flagsGiven.includes(flag))
      .map(({ flag, env }) => wrong(`--${flag}: expected ${env} in the engine's own secrets, received it as text`)),
  ];
}

/** A word as a shell takes it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Runs the command of an engine; what it prints is for the user. Throws `ProblemError` if it fails. */
async function startBy({ program, args, manifest }: Start, { print }: Session): Promise<void> {
  const child = spawn(program, args, { stdio: [manifest ? 'pipe' : 'ignore', 'pipe', 2] });
  child.stdout?.setEncoding('utf8').on('data', (text: string) => print(text));
  // A program that is not there, or reads nothing, says so by its end.
  child.stdin?.on('error', () => undefined).end(manifest && JSON.stringify(manifest));
  const failure = await new Promise<string | undefined>((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('close', (code, signal) => resolve(code === 0 ? undefined : `it ended with ${signal ?? code}`));
  });
  if (failure !== undefined) throw new ProblemError([problem('notSubmitted', `${program}: ${failure}`)]);
}
