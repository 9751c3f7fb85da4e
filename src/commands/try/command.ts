import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type Problem, ProblemError } from '../../contract/problems.js';
import { optionsOf } from '../../options/option.js';
import { protocolOptions } from '../../protocols/list.js';
import { paint, type Style } from '../../render/words/table.js';
import { protocolFilesIn, readProtocols } from '../../run/flow/read-protocols.js';
import { valued } from '../../run/plan/option-kinds.js';
import { namesIn, readTargetFiles, type Variables } from '../../run/server/external-targets.js';
import { targetOfTrial } from '../../run/server/planned.js';
import { startPlanned } from '../../run/server/start-target.js';
import { loadOptions } from '../../scenarios/load-options.js';
import { objectIn } from '../../units/text.js';
import { type Happening, type StepOutcome, Trial } from '../../worker/trial/trial.js';
import { plain } from '../command.js';

/** Limit of the characters shown of a message. */
const mostCharacters = 200;

/** Renders a message with its time, direction, kind, size and content, or a step that was reached. */
export function happeningText(happening: Happening, style: Style): string {
  const { title, aside } = paint(style);
  const place = `${happening.atMs.toFixed(1).padStart(8)} ms  client ${happening.client}`;
  if ('step' in happening) return `${aside(place)}    ${title(happening.step)}`;
  const { isSent, isBinary, size, content } = happening;
  const kind = `${isBinary ? 'binary' : 'text'}, ${size} B`;
  return `${aside(place)}  ${isSent ? '→' : '←'} ${aside(kind)}  ${shown(content)}`;
}

/** Renders a line for each step: whether it was reached, and what was missing. */
export function outcomesText(outcomes: readonly StepOutcome[], style: Style): string {
  const { good, bad } = paint(style);
  const lines = outcomes.map(({ step, why }) =>
    why === undefined ? `${good('✓')} ${step}` : `${bad('✗')} ${step}: ${shown(why)}`,
  );
  return `\n${lines.join('\n')}`;
}

/** Returns one line of a text from outside, in which control characters are visible. */
function shown(text: string): string {
  const cut = text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text;
  return cut.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = (character.codePointAt(0) as number).toString(16);
    return `\\u{${code}}`;
  });
}

export const tryOptions = z.strictObject({
  target: z
    .string()
    .optional()
    .meta(valued('target', 'name', 'target of the file, if it has several')),
  number: z
    .number()
    .int()
    .min(0)
    .default(0)
    .meta({ flag: 'client-number', unit: 'count', help: 'number of the client, as in a run' }),
  isInsecure: loadOptions.shape.isInsecure,
});

/** `ringside try FILE`: shows the messages between one client and a server, verb by verb. It measures nothing. */
export const command = plain({
  arguments: [{ form: '<file>', help: 'target file (`ringside init target` writes one)' }],
  flags: tryOptions,
  examples: ['try target.yml', 'try servers.yml --target staging --client-number 7'],
  async run(session, { args: [path = ''], own: { target: name, number, isInsecure }, env }) {
    const problems: Problem[] = [];
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
  },
});

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
