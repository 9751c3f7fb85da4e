import { readdirSync, readFileSync } from 'node:fs';
import { packageFile } from '../../src/units/package-files.js';

/** The top of the checkout. */
export const top = packageFile('/');

/** One Markdown page: its path from the top of the checkout, and its text. */
export interface Page {
  path: string;
  text: string;
}

/** Every page that people read: those at the top, all of `docs/`, and the READMEs of the folders. */
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
