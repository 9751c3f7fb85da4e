import { z } from 'zod';
import type { ExitName } from '../../contract/exit-codes.js';
import { ProblemError, problem } from '../../contract/problems.js';
import { columns } from '../../render/words/table.js';
import { switchOf } from '../../run/plan/option-kinds.js';
import { needUsers, targetByName } from '../../targets/list.js';
import { commandOf, InstallError } from '../../targets/needs/fill.js';
import { install } from '../../targets/needs/install.js';
import { installLack, suits } from '../../targets/needs/lack.js';
import { needByName, needs } from '../../targets/needs/list.js';
import { type FilledNeed, folderOf, isInstalled, type Need } from '../../targets/needs/need.js';
import { jsonText } from '../../units/text.js';
import { type CommandSession, formFlags, plain } from '../command.js';

export const installOptions = z.strictObject({
  isList: switchOf('list', 'show what can be installed, sizes, commands and what is here'),
  isJson: formFlags.isJson,
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
    if (args.length === 0) throw new ProblemError([problem('badOption', 'expected a name, received none', seeList)]);
    if (asked.length === 0) session.note(`${args.join(', ')}: there is nothing to install`);
    return installAll(asked, session);
  },
});

const seeList = '`ringside install --list` shows what can be installed.';

/** Returns each need once, in the order of the names. Throws `ProblemError` with every wrong name. */
function needsOf(names: readonly string[]): Need[] {
  const found = names.map((name) => ({ name, needs: needByName(name) ? [needByName(name)!] : ofTarget(name) }));
  const problems = found.flatMap(({ name, needs: ofName }) =>
    ofName
      ? []
      : [problem('unknownName', `nothing to install and no target is called ${JSON.stringify(name)}`, seeList)],
  );
  if (problems.length > 0) throw new ProblemError(problems);
  return [...new Set(found.flatMap(({ needs: ofName = [] }) => ofName))];
}

function ofTarget(name: string): readonly Need[] | undefined {
  const target = targetByName(name);
  return target && (target.needs ?? []);
}

async function installAll(asked: readonly Need[], { note, foreground }: CommandSession): Promise<ExitName> {
  refuseLack(asked);
  const ending = new AbortController();
  foreground.onSignals(() => ending.abort());
  for (const need of asked) {
    const told = await installOne(need, note, ending.signal).catch((error: unknown) => {
      if (!(error instanceof InstallError)) throw error;
      if (ending.signal.aborted) return 'interrupted: nothing of it is left';
      throw new ProblemError([problem('notInstalled', `${need.name}: ${error.message}`)]);
    });
    note(`${need.name}: ${told}`);
    if (ending.signal.aborted) return 'interrupted';
  }
  return 'clean';
}

/** Throws `ProblemError` with everything that the system lacks for them, before anything is installed. */
function refuseLack(asked: readonly Need[]): void {
  const lack = installLack(asked);
  if (lack) throw new ProblemError([problem('targetUnavailable', lack.why, lack.hint)]);
}

/** Installs one need. Resolves with the outcome in words. */
async function installOne(need: Need, note: CommandSession['note'], signal: AbortSignal): Promise<string> {
  if (need.filling === undefined) return 'the system has it';
  const place = folderOf(need);
  if (isInstalled(need)) return `is installed in ${place}`;
  note(`${need.name}: ${need.title}, ${sizesOf(need)}`);
  note(`${need.name}: ${commandOf(need)}`);
  await install(need, { progress: progressOf(need, note), signal });
  return `installed in ${place}`;
}

/** Prints the size on disk whenever it has grown by a twentieth of the expected size. */
function progressOf({ name, diskBytes, buildBytes = diskBytes }: FilledNeed, note: CommandSession['note']) {
  let last = 0;
  return (bytes: number): void => {
    if (bytes - last < buildBytes / 20) return;
    last = bytes;
    note(`${name}: ${megabytes(bytes)} of ${megabytes(buildBytes)}`);
  };
}

function sizesOf({ downloadBytes, diskBytes, buildBytes }: FilledNeed): string {
  const building = buildBytes === undefined ? '' : `, ${megabytes(buildBytes)} while it is built`;
  return `${megabytes(downloadBytes)} to download, ${megabytes(diskBytes)} on disk${building}`;
}

/** Holds one thing to install, and whether it is installed. */
export interface NeedRow extends Pick<Need, 'name' | 'title'> {
  /** Null if only the system can provide it. */
  downloadBytes: number | null;
  diskBytes: number | null;
  for: string[];
  state: 'installed' | 'not installed' | 'impossible here';
  /** Its directory, or what is missing. */
  where: string;
  command: string;
}

export function needRow(need: Need): NeedRow {
  const { name, title, filling } = need;
  const { downloadBytes, diskBytes } = filling ? need : { downloadBytes: null, diskBytes: null };
  return {
    ...{ name, title, downloadBytes, diskBytes },
    for: needUsers(need),
    ...stateOf(need),
    command: commandOf(need),
  };
}

function stateOf(need: Need): Pick<NeedRow, 'state' | 'where'> {
  const isThere = isInstalled(need);
  const lack = installLack([need]);
  const place = need.filling ? folderOf(need) : 'The system has it.';
  if (lack === undefined) return { state: isThere ? 'installed' : 'not installed', where: place };
  return { state: suits(need) ? 'not installed' : 'impossible here', where: `${lack.why} ${lack.hint}` };
}

/** Returns the table of `ringside install --list`, with the command of each row below it. */
export function listText(rows: readonly NeedRow[]): string {
  const cells = rows.map(({ name, title, for: users, downloadBytes, diskBytes, state }) => [
    ...[name, title, users.join(', '), megabytes(downloadBytes), megabytes(diskBytes), state],
  ]);
  const head = ['name', 'brings', 'for', 'download', 'on disk', 'here'];
  const below = rows.flatMap(({ name, where, command }) => [`${name}: ${where}`, `  ${command}`]);
  return [columns(head, cells, [0, 1, 2, 5]), '', ...below].join('\n');
}

/** Renders whole megabytes, or a dash for null. */
export function megabytes(bytes: number | null): string {
  return bytes === null ? '–' : `${Math.ceil(bytes / 1e6)} MB`;
}
