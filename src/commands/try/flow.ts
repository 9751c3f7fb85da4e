import { z } from 'zod';
import type { ExitName } from '../../contract/exit-codes.js';
import { type Problem, ProblemError, problem } from '../../contract/problems.js';
import { FlowSetups } from '../../run/flow/drive-modules.js';
import { readModules } from '../../run/flow/read-modules.js';
import { readPem } from '../../run/plan/plan.js';
import { addressOptions } from '../../run/plan/run-options.js';
import { flow as scenario } from '../../scenarios/flow/index.js';
import { loadOptions } from '../../scenarios/load-options.js';
import { optionalCount, optionalDuration } from '../../scenarios/options.js';
import { provideWebSocket } from '../../worker/flows.js';
import { FlowTrial } from '../../worker/trial/flow-trial.js';
import type { CommandSession } from '../command.js';
import { happeningText, outcomesText } from './lines.js';

const usualMs = 10_000;
/** Timers of the user's code that go on end with the process after this time. */
const leftOverMs = 1000;

/** Options of `ringside try` that go with the file of a flow only. */
export const flowTrialOptions = z.strictObject({
  targetUrl: addressOptions.shape.targetUrl,
  durationMs: optionalDuration('duration', [1, 86_400_000], 'for a flow: end the client after this time; default: 10s'),
  seed: optionalCount('seed', [0, 0xffff_ffff], 'for a flow: seed of all random choices; default: 0'),
  caPem: loadOptions.shape.caPem,
});

interface GivenForFlow extends z.output<typeof flowTrialOptions> {
  target?: string | undefined;
  number: number;
  isInsecure: boolean;
}

/** Returns true for the file of a flow. Those of targets are YAML. */
export function isFlow(path: string): boolean {
  return /\.(?:ts|js|mjs)$/.test(path);
}

/** Runs one client of a flow in this process, and shows what it does. Its `setup` and `teardown` run, too. */
export async function tryFlow(session: CommandSession, path: string, given: GivenForFlow): Promise<ExitName> {
  const { interrupt, style } = session;
  const { target, load } = reachOf(path, given);
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

/** Returns how the client reaches its target. Throws `ProblemError` with all that is wrong. */
function reachOf(path: string, { target, targetUrl, caPem: file, isInsecure }: GivenForFlow) {
  const problems: Problem[] = [];
  if (target !== undefined) problems.push(problem('badOption', `--target: goes with a target file, received ${path}`));
  if (targetUrl === undefined)
    problems.push(problem('badOption', '--target-url: expected the address of a running target, received nothing'));
  const caPem = file === undefined ? undefined : readPem(file, problems);
  if (targetUrl === undefined || problems.length > 0) throw new ProblemError(problems);
  return { target: new URL(targetUrl), load: loadOptions.parse({ caPem, isInsecure }) };
}
