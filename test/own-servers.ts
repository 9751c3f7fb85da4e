import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { built } from './built.js';

/** Starts of a small paired comparison, and its flags. */
export const starts = 3;
export const smallComparison = [
  ...['--starts', `${starts}`, '--rounds', '12', '--slot', '110ms', '--clients', '7', '--drain', '1s'],
];

/** A metronome for a shell; host, port and delays follow. */
export const metronomeCommand = `'${process.execPath}' '${built('servers/metronome/main.js')}'`;

/** A target file of that name, with addresses at a port and further lines. */
export function ownTargetFile(folder: string, name: string, port: number | '{port}', ...lines: string[]): string[] {
  const urls = [`targetUrl: ws://127.0.0.1:${port}/ws`, `publishUrl: http://127.0.0.1:${port}/_broadcast`];
  const file = join(folder, `${name}.yml`);
  writeFileSync(file, [`name: ${name}`, 'protocol: ws-json', ...urls, ...lines].join('\n'));
  return ['--target-file', file];
}
