import type { Command } from 'commander';
import { type Page, splitFences } from './fences.js';
import { withSubcommands, wrongCall, wrongWords } from './program.js';

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
