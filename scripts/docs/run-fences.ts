import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Page, splitFences } from './fences.js';

const timeoutMs = 300_000;

/** Runs every block that is marked `sh run`, in the checkout at `top`; says which of them failed, and how. */
export function failedFences(pages: readonly Page[], top: string): string[] {
  const directory = mkdtempSync(join(tmpdir(), 'ringside-docs-'));
  const env = { ...process.env, RINGSIDE_RESULTS: directory, RINGSIDE_TRUST: directory, TMPDIR: directory };
  // What `npx ringside` starts in a clone, without the seconds that npx takes to look for it.
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
