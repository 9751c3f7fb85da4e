import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { ExitName } from '../../contract/exit-codes.js';
import { type Problem, ProblemError, problem } from '../../contract/problems.js';
import { optionsOf } from '../../options/option.js';
import { protocolOptions } from '../../protocols/list.js';
import { protocolFilesIn, readProtocols } from '../../run/flow/read-protocols.js';
import { valued } from '../../run/plan/run-options.js';
import { namesIn, readTargetFiles, type Variables } from '../../run/server/external-targets.js';
import { targetOfTrial } from '../../run/server/planned.js';
import { startPlanned } from '../../run/server/start-target.js';
import { loadOptions } from '../../scenarios/load-options.js';
import { objectIn } from '../../units/text.js';
import { Trial } from '../../worker/trial/trial.js';
import { type CommandSession, plain } from '../command.js';
import { flowTrialOptions, isFlow, tryFlow } from './flow.js';
import { happeningText, outcomesText } from './lines.js';

export const tryOptions = z.strictObject({
  target: z
    .string()
    .optional()
    .meta(valued('target', 'name', 'target of the file, if it has several')),
  ...flowTrialOptions.shape,
  number: z
    .number()
    .int()
    .min(0)
    .default(0)
    .meta({ flag: 'client-number', unit: 'count', help: 'number of the client, as in a run' }),
  isInsecure: loadOptions.shape.isInsecure,
});

/** `ringside try FILE`: shows what one client and a server say to each other. It measures nothing. */
export const command = plain({
  arguments: [{ form: '<file>', help: 'target file, as `ringside init target` writes one, or a flow' }],
  flags: tryOptions,
  examples: [
    'try target.yml',
    'try servers.yml --target staging --client-number 7',
    'try chat.ts --target-url ws://127.0.0.1:4001/',
  ],
  run(session, { args: [path = ''], own, env }) {
    if (isFlow(path)) return tryFlow(session, path, own);
    return tryTarget(session, path, own, env);
  },
});

async function tryTarget(
  session: CommandSession,
  path: string,
  { target: name, number, isInsecure, ...ofFlow }: z.output<typeof tryOptions>,
  env: Variables,
): Promise<ExitName> {
  const problems: Problem[] = optionsOf(flowTrialOptions)
    .filter(({ key }) => ofFlow[key as keyof typeof ofFlow] !== undefined)
    .map(({ flag }) => problem('badOption', `--${flag}: goes with the file of a flow, received ${path}`));
  await readProtocols(protocolFilesIn(path));
  const found = targetOfTrial(name, readTargetFiles([path], env, problems), problems);
  if (problems.length > 0 || !found) throw new ProblemError(problems);
  const { planned, isPostedTo } = found;
  const ofProtocol = planned.protocolOptions ?? {};
  const live = await startPlanned(planned, { redeployment: undefined });
  const { interrupt } = session;
  try {
    const tried = {
      ...{ protocol: planned.protocol, protocolOptions: ofProtocol, isPostedTo, isInsecure, number },
      ...{ wsUrl: live.wsUrls[0] as string, publishUrl: live.publishUrls[0], publishHeaders: live.publishHeaders },
      secrets: [...valuesOf(namesIn(readFileSync(path, 'utf8')), env), ...secretsIn(ofProtocol)],
    };
    const print = (text: string): void => session.print(`${text}\n`);
    const outcomes = await new Trial(tried, (each) => print(happeningText(each, session.style)), interrupt).run();
    if (interrupt.aborted) return 'interrupted';
    print(outcomesText(outcomes, session.style));
    return outcomes.some(({ why }) => why !== undefined) ? 'rig' : 'clean';
  } finally {
    await live.stop();
  }
}

function valuesOf(names: readonly string[], variables: Variables): string[] {
  return names.map((name) => variables[name] ?? '');
}

/** Returns values of secret options that clients send or servers repeat. Those of users and logins differ by client. */
function secretsIn(values: Readonly<Record<string, unknown>>): string[] {
  return optionsOf(protocolOptions)
    .filter(({ key, isSecret }) => isSecret && key !== 'users' && key !== 'login')
    .flatMap(({ key }) => [values[key] ?? []].flat())
    .flatMap((value) => textsIn(objectIn(String(value)) ?? String(value)));
}

/** Returns the texts in a value, and the last word of each: `Authorization: Bearer …`. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsIn);
  return typeof value === 'string' ? [value, value.split(' ').at(-1) ?? ''] : [];
}
