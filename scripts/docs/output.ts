import { execFileSync } from 'node:child_process';
import { top } from './pages.js';

/** What a command of `ringside` prints, as a block of terminal output. */
export function output(...args: string[]): string {
  const env = { ...process.env, NO_COLOR: '1' };
  const text = execFileSync(process.execPath, ['dist/src/cli/main.js', ...args], { cwd: top, env, encoding: 'utf8' });
  return `\`\`\`text\n${text}\`\`\``;
}
