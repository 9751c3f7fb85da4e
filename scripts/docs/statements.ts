/** A word, an operator that ends a command, a redirection with its file, or a comment. */
const token =
  /(#.*)|(\n|&&|\|\|?|;|&(?!>))|(\d?>>?(?:&\d)?\s*[^\s;|&]*)|((?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|[^\s;|&<>'"\\])+)/gs;

/** The commands of a shell text, each as its words, without comments, redirections and leading variables. */
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
