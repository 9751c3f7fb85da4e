import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const python = process.env.RINGSIDE_PYTHON ?? 'python3';

/** A server of this folder: its packages as pip and as Python name them, and its protocol. */
export interface PythonServer {
  name: string;
  packages: Readonly<Record<string, string>>;
  protocol: string;
  wsPath: string;
}

/** What keeps a server from running here, with the way out; undefined if nothing does. */
export function lackOfPython({ packages }: PythonServer): string | undefined {
  const modules = Object.values(packages).join(', ');
  try {
    execFileSync(python, ['-c', `import ${modules}`], { stdio: 'ignore' });
    return undefined;
  } catch {
    return `pip install ${Object.keys(packages).join(' ')}, and RINGSIDE_PYTHON is the Python that has it`;
  }
}

/** A target file that starts a server, and what the server heard by kind, to be read behind a run. */
export function startedByFile(folder: string, { name, protocol, wsPath }: PythonServer, run: string) {
  const script = fileURLToPath(new URL(`${name}-server.py`, import.meta.url));
  const counts = join(folder, `${name}-${run}.json`);
  const file = join(folder, `${name}-${run}.yml`);
  const target = {
    ...{ name, protocol, targetUrl: `ws://127.0.0.1:{port}${wsPath}` },
    publishUrl: 'http://127.0.0.1:{port}/_broadcast',
    start: { command: `exec '${python}' '${script}'`, environment: { COUNTS: counts } },
  };
  writeFileSync(file, JSON.stringify(target));
  return {
    flags: ['--target-file', file],
    heard: (): Record<string, number> => JSON.parse(readFileSync(counts, 'utf8')),
  };
}
