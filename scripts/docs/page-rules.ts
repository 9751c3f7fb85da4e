import { dirname, join } from 'node:path';
import { splitFences } from './fences.js';
import type { Page } from './pages.js';

const columns = 120;
const readmeLines = 200;

/** Whether the first page that people see has grown long. */
export function longReadme({ path, text }: Page): string[] {
  const lines = text.split('\n').length - 1;
  return path === 'README.md' && lines > readmeLines ? [`${path}: ${lines} lines, at most ${readmeLines}`] : [];
}

/** Lines of prose or of a command that are too long. Tables, addresses and pasted output may be longer. */
export function longLines({ path, text }: Page): string[] {
  const { fences, prose } = splitFences(text);
  const inProse = prose.flatMap((line, index) => (isLong(line) ? [index + 1] : []));
  const inCommands = fences
    .filter(({ info }) => info !== 'text')
    .flatMap(({ line, text: code }) =>
      code.split('\n').flatMap((each, index) => (isLong(each) ? [line + 1 + index] : [])),
    );
  return [...inProse, ...inCommands].map((line) => `${path}:${line}: the line is longer than ${columns} columns`);
}

function isLong(line: string): boolean {
  return line.length > columns && !line.trimStart().startsWith('|') && line.replace(/https?:\S+/g, '').length > columns;
}

/** Relative links to a file that does not exist, or to a heading that its page does not have. */
export function deadLinks(page: Page, pages: readonly Page[], exists: (path: string) => boolean): string[] {
  return splitFences(page.text).prose.flatMap((line, index) =>
    [...line.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
      if (/^[a-z]+:/.test(link)) return [];
      const [file = '', anchor] = link.split('#');
      const path = file === '' ? page.path : join(dirname(page.path), file);
      const target = pages.find((each) => each.path === path);
      const where = `${page.path}:${index + 1}`;
      if (!target && !exists(path)) return [`${where}: there is no ${path}`];
      if (anchor !== undefined && target && !anchorsOf(target.text).has(anchor))
        return [`${where}: ${path} has no heading #${anchor}`];
      return [];
    }),
  );
}

/** The anchors that GitHub gives to the headings of a page. */
function anchorsOf(text: string): Set<string> {
  const headings = splitFences(text).prose.flatMap((line) => /^#+ (.+)$/.exec(line)?.[1] ?? []);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
