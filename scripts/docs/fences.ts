import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packageFile } from '../../src/units/package-files.js';

const timeoutMs = 300_000;

/** Runs every block that is marked `sh run` in the checkout at `top`. Returns the failed blocks with their errors. */
export function failedFences(pages: readonly Page[], top: string): string[] {
  const directory = mkdtempSync(join(tmpdir(), 'ringside-docs-'));
  const env = { ...process.env, RINGSIDE_RESULTS: directory, RINGSIDE_TRUST: directory, TMPDIR: directory };
  // Defines `npx` in the shell. It runs the program of `npx ringside` in a clone, without the seconds that npx takes to
  // find it.
  const npx = 'npx() { shift; node dist/src/cli/main.js "$@"; }\n';
  try {
    return pages.flatMap(({ path, text }) =>
      splitFences(text)
        .fences.filter(({ info }) => info === 'sh run')
        .flatMap(({ line, text: code }) => {
          const script = `set -e\n${npx}${code}`;
          const { status, signal, stderr } = spawnSync('sh', ['-c', script], {
            cwd: top,
            env,
            timeout: timeoutMs,
            encoding: 'utf8',
            maxBuffer: 64 * 2 ** 20,
          });
          return status === 0 ? [] : [`${path}:${line}: the block ended with ${status ?? signal}\n${stderr}`];
        }),
    );
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Path of the top of the checkout. */
export const top = packageFile('/');

/** Describes one Markdown page: its path from the top of the checkout, and its text. */
export interface Page {
  path: string;
  text: string;
}

/** Reads every page for people: those at the top, all of `docs/`, and the READMEs of the folders. */
export function readPages(): Page[] {
  const isPage = (path: string): boolean => path.endsWith('.md');
  const paths = [
    ...readdirSync(top).filter(isPage),
    ...readdirSync(`${top}docs`, { recursive: true, encoding: 'utf8' })
      .filter(isPage)
      .map((path) => `docs/${path}`),
    ...['src', 'servers', 'results'].map((folder) => `${folder}/README.md`),
  ];
  return paths.sort().map((path) => ({ path, text: readFileSync(`${top}${path}`, 'utf8') }));
}

const readmeLines = 150;

/** Reports a README over its length limit, to keep it short. */
export function longReadme({ path, text }: Page): string[] {
  const lines = text.split('\n').length - 1;
  return path === 'README.md' && lines > readmeLines ? [`${path}: ${lines} lines, at most ${readmeLines}`] : [];
}

/** Returns relative links to a missing file, or to a missing heading of a page. */
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

/** Describes one fenced code block of a page. `info` follows its opening fence, `line` is the line of that fence. */
export interface Fence {
  line: number;
  info: string;
  text: string;
}

/** Returns the fenced code blocks of a page, and the page without them, line by line. Lines of a block become empty. */
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
