import { Command, CommanderError } from 'commander';
import { commands } from '../../src/cli/commands.js';
import { define } from '../../src/cli/define.js';
import { type Page, splitFences } from './fences.js';

/** Matches a word, an operator that ends a command, a redirection with its file, or a comment. */
const token =
  /(#.*)|(\n|&&|\|\|?|;|&(?!>))|(\d?>>?(?:&\d)?\s*[^\s;|&]*)|((?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|[^\s;|&<>'"\\])+)/gs;

/** Returns the commands of a shell text as lists of words, without comments, redirections and leading variables. */
export function statements(text: string): string[][] {
  const found: string[][] = [[]];
  for (const [, , operator, , word] of text
    .replaceAll('\\\n', ' ')
    .replace(/(^|\s)#.*/gm, '')
    .matchAll(token)) {
    const words = found.at(-1) as string[];
    if (operator !== undefined) found.push([]);
    else if (word !== undefined && !(words.length === 0 && /^[A-Za-z_]\w*=/.test(word))) words.push(unquoted(word));
  }
  return found.filter((words) => words.length > 0);
}

function unquoted(word: string): string {
  return word.replace(/'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/gs, (_all, single, double, escaped) =>
    String(single ?? double ?? escaped),
  );
}

/** The names that pages can refer to: the program, the scripts of package.json, and files of the checkout. */
export interface Known {
  program: Command;
  scripts: Readonly<Record<string, string>>;
  exists(path: string): boolean;
}

const marks = ['sh run', 'sh no-run'];
/** Matches a path of a source file, without placeholders, from the top of the checkout or from `src/`. */
const isSource = /^[a-z.][a-z./-]*\/[a-z.-]+\.(ts|js|yml|json)$/;
const main = 'node dist/src/cli/main.js';

/** Returns each unknown command, flag and script of a page, and each block that does not declare if it runs. */
export function wrongCommands({ path, text }: Page, known: Known): string[] {
  const { fences, prose } = splitFences(text);
  const inFences = fences.flatMap(({ line, info, text: code }) => {
    const where = `${path}:${line}`;
    if (info === '') return [`${where}: the block has no language; write text, yaml, json, sh run or sh no-run`];
    if (!info.startsWith('sh')) return [];
    if (!marks.includes(info)) return [`${where}: the block says \`${info}\`; write sh run or sh no-run`];
    return statements(code).flatMap((words) => {
      const wrong = wrongStatement(words, known, true);
      return wrong === undefined ? [] : [`${where}: ${wrong}, in \`${words.join(' ')}\``];
    });
  });
  return [...inFences, ...wrongSpans(path, prose, known)];
}

/** Checks code spans of prose: commands, single flags, and paths of sources. Generated tables can't be wrong. */
function wrongSpans(path: string, prose: readonly string[], known: Known): string[] {
  const flags = new Set(withSubcommands(known.program).flatMap(({ options }) => options.map(({ long }) => long)));
  const hasServerFlags = path === 'servers/README.md';
  let isGenerated = false;
  return prose.flatMap((line, index) => {
    if (line.startsWith('<!-- generated:')) isGenerated = true;
    if (line.startsWith('<!-- end')) isGenerated = false;
    if (isGenerated) return [];
    if (line.split('`').length % 2 === 0) return [`${path}:${index + 1}: a code span does not end on its line`];
    return [...line.matchAll(/`([^`]+)`/g)].flatMap(([, span = '']) => {
      const [words = []] = statements(span);
      const [first = ''] = words;
      const isLoneFlag = first.startsWith('--') && !hasServerFlags && first !== '--help' && first !== '--version';
      const flag = first.replace(/=.*/, '');
      if (isSource.test(span) && !['', 'src/'].some((folder) => known.exists(`${folder}${span}`)))
        return [`${path}:${index + 1}: there is no ${span}`];
      const wrong = isLoneFlag
        ? flags.has(flag)
          ? undefined
          : `no command has ${flag}`
        : wrongStatement(words, known, false);
      return wrong === undefined ? [] : [`${path}:${index + 1}: ${wrong}, in \`${span}\``];
    });
  });
}

function wrongStatement(words: readonly string[], known: Known, isExact: boolean): string | undefined {
  const [first, second, third = '', ...rest] = words;
  const wrong = isExact ? wrongCall : wrongWords;
  if (first === 'npx' && second === 'ringside') return wrong(known.program, words.slice(2));
  if (first === 'ringside') return wrong(known.program, words.slice(1));
  if (first === 'npm' && (second === 'run' || second === 'test')) {
    const name = second === 'run' ? third : 'test';
    return !isExact && /[…*]|^[A-Z]/.test(name) ? undefined : wrongScript(name, rest, known);
  }
  if (first === 'node' && second?.startsWith('dist/') && !known.exists(second)) return `there is no ${second}`;
  return undefined;
}

function wrongScript(name: string, rest: readonly string[], { program, scripts }: Known): string | undefined {
  const script = scripts[name];
  if (script === undefined) return `package.json has no script ${name}`;
  if (!script.startsWith(`${main} `)) return undefined;
  const [words = []] = statements(script.slice(main.length));
  return wrongCall(program, [...words, ...(rest[0] === '--' ? rest.slice(1) : [])]);
}

/** Returns the whole program as commander parses it, with every command defined. The commands do nothing. */
export async function wholeProgram(): Promise<Command> {
  const program = new Command('ringside').version('0');
  for (const { name, load } of commands) await define(program.command(name), (await load()).command);
  const nothing = (): void => undefined;
  for (const each of withSubcommands(program)) {
    each.exitOverride().configureOutput({ writeOut: nothing, writeErr: nothing });
    if (each.commands.length === 0) each.action(nothing);
  }
  return program;
}

/** Returns the command and all its subcommands. */
function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

/** Returns the fault in the arguments of a call, or undefined. */
function wrongCall(program: Command, words: readonly string[]): string | undefined {
  const at = words.indexOf('--');
  try {
    program.parse(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.help') return `${words.join(' ')} lacks the name of a command`;
    if (error.exitCode !== 0) return error.message.replace(/\n[\s\S]*/, '');
  }
  // A call of its own follows, as for `submit`.
  return at < 0 ? undefined : wrongCall(program, words.slice(at + 1));
}

/** Matches a placeholder for any word: `FILE`, `DIR…`, `a|b`, `…`. */
const placeholder = /^[A-Z_]+…?$|…|\|/;

/** Returns the unknown command or flag in a call in prose. It can be a part of one, and have placeholders. */
function wrongWords(program: Command, words: readonly string[]): string | undefined {
  let reached = program;
  let isNamed = true;
  for (const word of words) {
    const [flag] = word.split('=');
    const options = withSubcommands(reached).flatMap((each) => each.options);
    const isOption = options.some(({ long, short }) => flag === long || flag === short) || flag === '--help';
    if (word.startsWith('-') && !isOption) return `ringside has no ${flag}`;
    if (word.startsWith('-') || placeholder.test(word)) isNamed = false;
    if (!isNamed || reached.commands.length === 0) continue;
    const named = reached.commands.find((each) => each.name() === word);
    if (!named) return `ringside has no command ${word}`;
    reached = named;
  }
  return undefined;
}
