import { existsSync, readFileSync } from 'node:fs';

export const toolName = 'ringside-bench';

/** From the sources the package file is two folders up, from the compiled files three. */
const packageFile = ['../../package.json', '../../../package.json']
  .map((path) => new URL(path, import.meta.url))
  .find((url) => existsSync(url));
if (!packageFile) throw new Error(`package.json of ${toolName} is missing beside its files`);

export const version: string = (JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }).version;

/** What wrote a kept file: this package. */
export const thisTool = { name: toolName, version } as const;
