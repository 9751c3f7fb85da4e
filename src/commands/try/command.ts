import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { ExitName } from '../../contract/exit-codes.js';
import { type Problem, ProblemError, problem } from '../../contract/problems.js';
import { optionsOf } from '../../options/option.js';
import { protocolOptions } from '../../protocols/list.js';
import { paint, type Style } from '../../render/words/table.js';
import { FlowSetups } from '../../run/flow/drive-modules.js';
import { readModules } from '../../run/flow/read-modules.js';
import { protocolFilesIn, readProtocols } from '../../run/flow/read-protocols.js';
import { addressOptions, valued } from '../../run/plan/run-options.js';
import { wayOfTrial } from '../../run/plan/way.js';
import { namesIn, readTargetFiles, type Variables } from '../../run/server/external-targets.js';
import { targetOfTrial } from '../../run/server/planned.js';
import { startPlanned } from '../../run/server/start-target.js';
import { flow as scenario } from '../../scenarios/flow/index.js';
import { type LoadOptions, loadOptions } from '../../scenarios/load-options.js';
import { optionalCount, optionalDuration } from '../../scenarios/options.js';
import { objectIn } from '../../units/text.js';
import { provideWebSocket } from '../../worker/flows.js';
import { FlowTrial } from '../../worker/trial/flow-trial.js';
import { type Happening, type StepOutcome, Trial } from '../../worker/trial/trial.js';
import { type CommandSession, plain } from '../command.js';

const usualMs = 10_000;
/** Timers of the user's code that go on end with the process after this time. */
const leftOverMs = 1000;

/** Options that go with the file of a flow only. */
const flowTrialOptions = z.strictObject({
  targetUrl: addressOptions.shape.targetUrl,
  durationMs: optionalDuration('duration', [1, 86_400_000], 'for a flow: end the client after this time; default: 10s'),
  seed: optionalCount('seed', [0, 0xffff_ffff], 'for a flow: seed of all random choices; default: 0'),
});

/** Options of the way of clients to the target. A single client resumes no TLS session. */
const { caPem, isInsecure, targetCert, targetKey, proxy } = loadOptions.shape;

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
  ...{ caPem, isInsecure, targetCert, targetKey, proxy },
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
    // Files of targets are YAML.
    return /\.(?:ts|js|mjs)$/.test(path) ? tryFlow(session, path, own, env) : tryTarget(session, path, own, env);
  },
});

type Given = z.output<typeof tryOptions>;

async function tryTarget(
  session: CommandSession,
  path: string,
  { target: name, number, ...given }: Given,
  env: Variables,
): Promise<ExitName> {
  const problems: Problem[] = optionsOf(flowTrialOptions)
    .filter(({ key }) => given[key as keyof typeof given] !== undefined)
    .map(({ flag }) => problem('badOption', `--${flag}: goes with the file of a flow, received ${path}`));
  await readProtocols(protocolFilesIn(path));
  const found = targetOfTrial(name, readTargetFiles([path], env, problems), problems);
  const url = found?.planned.isOurs === false ? found.planned.wsUrl : 'ws://127.0.0.1';
  const load = wayOfTrial(loadOf(given), { url, first: number, clients: 2 }, env, problems);
  if (problems.length > 0 || !found) throw new ProblemError(problems);
  const { planned, isPostedTo } = found;
  const ofProtocol = planned.protocolOptions ?? {};
  const live = await startPlanned(planned, { redeployment: undefined });
  const { interrupt } = session;
  try {
    const tried = {
      ...{ protocol: planned.protocol, protocolOptions: ofProtocol, isPostedTo, load, number },
      ...{ wsUrl: live.wsUrls[0] as string, publishUrl: live.publishUrls[0], publishHeaders: live.publishHeaders },
      secrets: [...namesIn(readFileSync(path, 'utf8')).map((each) => env[each] ?? ''), ...secretsIn(ofProtocol)],
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

/** Runs one client of a flow in this process, and shows what it does. Its `setup` and `teardown` run, too. */
async function tryFlow(session: CommandSession, path: string, given: Given, env: Variables): Promise<ExitName> {
  const { interrupt, style } = session;
  const { target, load } = reachOf(path, given, env);
  provideWebSocket();
  const modules = await readModules(scenario, [path]);
  const { flow, name } = modules[0]!;
  const { number, seed = 0, durationMs = usualMs } = given;
  const note = (line: string): void => session.note(line);
  const setups = new FlowSetups(modules, { target, seed, load, interrupt, note });
  const print = (text: string): void => session.print(`${text}\n`);
  try {
    const [shared] = await setups.begin();
    const tried = { flow, name, shared, target, number, seed, durationMs, load };
    const outcomes = await new FlowTrial(tried, (each) => print(happeningText(each, style)), interrupt).run();
    print(outcomesText(outcomes, style));
    if (interrupt.aborted) return 'interrupted';
    return outcomes.some(({ why }) => why !== undefined) ? 'rig' : 'clean';
  } finally {
    await setups.end();
    setTimeout(() => session.foreground.exit(), leftOverMs).unref();
  }
}

const loadOf = (given: Omit<Given, 'target' | 'number'>): LoadOptions => {
  const { caPem, isInsecure, targetCert, targetKey, proxy } = given;
  return loadOptions.parse({ caPem, isInsecure, targetCert, targetKey, proxy });
};

function reachOf(path: string, { target, targetUrl, number, ...given }: Given, env: Variables) {
  const problems: Problem[] = [];
  if (target !== undefined) problems.push(problem('badOption', `--target: goes with a target file, received ${path}`));
  if (targetUrl === undefined)
    problems.push(problem('badOption', '--target-url: expected the address of a running target, received nothing'));
  const url = targetUrl ?? 'ws://127.0.0.1';
  const load = wayOfTrial(loadOf(given), { url, first: number, clients: 1 }, env, problems);
  if (targetUrl === undefined || problems.length > 0) throw new ProblemError(problems);
  return { target: new URL(targetUrl), load };
}

/** Limit of the characters shown of a message. */
const mostCharacters = 200;

/** Renders a message with its time, direction, kind, size, content and line, or a step that was reached. */
export function happeningText(happening: Happening, style: Style): string {
  const { title, aside } = paint(style);
  const place = `${happening.atMs.toFixed(1).padStart(8)} ms  client ${happening.client}`;
  const by = happening.line === undefined ? '' : `  ${aside(shown(happening.line))}`;
  if ('step' in happening) return `${aside(place)}    ${title(shown(happening.step))}${by}`;
  const { isSent, isBinary, size, content } = happening;
  const kind = `${isBinary ? 'binary' : 'text'}, ${size} B`;
  return `${aside(place)}  ${isSent ? '→' : '←'} ${aside(kind)}  ${shown(content)}${by}`;
}

/** Renders a line for each step: whether it was reached, and what was missing. */
export function outcomesText(outcomes: readonly StepOutcome[], style: Style): string {
  const { good, bad } = paint(style);
  const lines = outcomes.map(({ step, why }) =>
    why === undefined ? `${good('✓')} ${shown(step)}` : `${bad('✗')} ${shown(step)}: ${shown(why)}`,
  );
  return `\n${lines.join('\n')}`;
}

function shown(text: string): string {
  const cut = text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text;
  return cut.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = (character.codePointAt(0) as number).toString(16);
    return `\\u{${code}}`;
  });
}
