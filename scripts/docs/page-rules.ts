import { dirname, join } from 'node:path';
import { splitFences } from './fences.js';
import type { Page } from './pages.js';

const readmeLines = 200;

/** Keeps the README short. */
export function longReadme({ path, text }: Page): string[] {
  const lines = text.split('\n').length - 1;
  return path === 'README.md' && lines > readmeLines ? [`${path}: ${lines} lines, at most ${readmeLines}`] : [];
}

/** Relative links to a missing file, or to a missing heading of a page. */
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
