import { z } from 'zod';
import type { ExitName } from '../../contract/exit-codes.js';
import { type Problem, ProblemError, problem, problemError } from '../../contract/problems.js';
import { columns } from '../../render/words/table.js';
import { formOptions, switchOf } from '../../run/plan/run-options.js';
import { needUsers, targetByName } from '../../targets/list.js';
import { commandOf, InstallError, install } from '../../targets/needs/install.js';
import { needByName, needs } from '../../targets/needs/list.js';
import {
  type FilledNeed,
  folderOf,
  installLack,
  isFilled,
  isInstalled,
  type Need,
  suits,
} from '../../targets/needs/need.js';
import { jsonText } from '../../units/text.js';
import { type CommandSession, plain } from '../command.js';

export const installOptions = z.strictObject({
  isList: switchOf('list', 'show what can be installed, sizes, commands and what is here'),
  isJson: formOptions.shape.isJson,
});

/** `ringside install NAME…`: installs what targets need beyond `npm ci`, each in a folder of its own. */
export const command = plain({
  arguments: [{ form: '[names...]', help: 'what to install, or targets that need it' }],
  flags: installOptions,
  examples: ['install --list', 'install bun', 'install socketio-bun'],
  async run(session, { args, own: { isList, isJson } }) {
    const asked = args.length === 0 ? [...needs] : needsOf(args);
    if (isList) {
      const rows = asked.map((need) => needRow(need));
      session.print(isJson ? jsonText(rows) : `${listText(rows)}\n`);
      return 'clean';
    }
    if (args.length === 0) throw problemError('badOption', 'expected a name, received none', seeList);
    if (asked.length === 0) session.note(`${args.join(', ')}: there is nothing to install`);
    return installAll(asked, session);
  },
});

const seeList = '`ringside install --list` shows what can be installed.';

function needsOf(names: readonly string[]): Need[] {
  const problems: Problem[] = [];
  const found = names.flatMap((name): readonly Need[] => {
    const need = needByName(name);
    const target = targetByName(name);
    const message = `nothing to install and no target is called ${JSON.stringify(name)}`;
    if (!need && !target) problems.push(problem('unknownName', message, seeList));
    return need ? [need] : (target?.needs ?? []);
  });
  if (problems.length > 0) throw new ProblemError(problems);
  return [...new Set(found)];
}

async function installAll(asked: readonly Need[], { note, foreground }: CommandSession): Promise<ExitName> {
  const lack = installLack(asked);
  if (lack) throw problemError('targetUnavailable', lack.why, lack.hint);
  const ending = new AbortController();
  foreground.onSignals(() => ending.abort());
  for (const need of asked) {
    if (!isFilled(need)) note(`${need.name}: the system has it`);
    else if (isInstalled(need)) note(`${need.name}: is installed in ${folderOf(need)}`);
    else if (!(await isFilledNow(need, note, ending.signal))) return 'interrupted';
  }
  return 'clean';
}

/** Installs a need. Returns false if it was interrupted. Throws `ProblemError` if it fails. */
async function isFilledNow(need: FilledNeed, note: CommandSession['note'], signal: AbortSignal): Promise<boolean> {
  const { name, title, megabytes } = need;
  note(`${name}: ${title}, ${megabytes.download} MB to download, ${megabytes.disk} MB on disk`);
  note(`${name}: ${commandOf(need)}`);
  try {
    await install(need, signal);
    note(`${name}: installed in ${folderOf(need)}`);
  } catch (error) {
    if (!(error instanceof InstallError)) throw error;
    if (!signal.aborted) throw problemError('notInstalled', `${name}: ${error.message}`);
    note(`${name}: interrupted: nothing of it is left`);
  }
  return !signal.aborted;
}

/** Holds one thing to install, and whether it is installed. */
export interface NeedRow extends Pick<Need, 'name' | 'title'> {
  /** Null if only the system can provide it. */
  megabytes: FilledNeed['megabytes'] | null;
  for: string[];
  state: 'installed' | 'not installed' | 'impossible here';
  /** Its directory, or what is missing. */
  where: string;
  command: string;
}

export function needRow(need: Need): NeedRow {
  const { name, title } = need;
  const megabytes = isFilled(need) ? need.megabytes : null;
  return { name, title, megabytes, for: needUsers(need), ...stateOf(need), command: commandOf(need) };
}

function stateOf(need: Need): Pick<NeedRow, 'state' | 'where'> {
  const isThere = isInstalled(need);
  const lack = installLack([need]);
  const place = isFilled(need) ? folderOf(need) : 'The system has it.';
  if (lack === undefined) return { state: isThere ? 'installed' : 'not installed', where: place };
  return { state: suits(need) ? 'not installed' : 'impossible here', where: `${lack.why} ${lack.hint}` };
}

function listText(rows: readonly NeedRow[]): string {
  const cells = rows.map(({ name, title, for: users, megabytes, state }) => {
    return [name, title, users.join(', '), inMb(megabytes?.download), inMb(megabytes?.disk), state];
  });
  const head = ['name', 'brings', 'for', 'download', 'on disk', 'here'];
  const below = rows.flatMap(({ name, where, command }) => [`${name}: ${where}`, `  ${command}`]);
  return [columns(head, cells, [0, 1, 2, 5]), '', ...below].join('\n');
}

/** Renders megabytes, or a dash where only the system can provide it. */
export function inMb(size: number | undefined): string {
  return size === undefined ? '–' : `${size} MB`;
}
