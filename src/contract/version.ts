import { readFileSync } from 'node:fs';
import { packageFile } from '../units/package-files.js';

export const toolName = 'ringside-bench';

const manifest = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string };
export const version: string = manifest.version;

/** Names the package that wrote a kept file: this one. */
export const thisTool = { name: toolName, version } as const;
