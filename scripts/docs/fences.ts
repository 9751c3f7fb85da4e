/** One fenced code block of a page. `info` is what stands behind its opening fence, `line` the line of that fence. */
export interface Fence {
  line: number;
  info: string;
  text: string;
}

/** The fenced code blocks of a page, and the page without them, line by line: a line of a block is left empty. */
export function splitFences(text: string): { fences: Fence[]; prose: string[] } {
  const fences: Fence[] = [];
  let open: (Fence & { indent: string }) | undefined;
  const prose = text.split('\n').map((line, index) => {
    const [, indent = '', info = ''] = /^( *)```(.*)$/.exec(line) ?? [];
    const isFence = /^ *```/.test(line);
    if (open) {
      if (isFence) {
        fences.push({ line: open.line, info: open.info, text: open.text });
        open = undefined;
      } else open.text += `${line.startsWith(open.indent) ? line.slice(open.indent.length) : line}\n`;
      return '';
    }
    if (!isFence) return line;
    open = { line: index + 1, info: info.trim(), text: '', indent };
    return '';
  });
  return { fences, prose };
}
