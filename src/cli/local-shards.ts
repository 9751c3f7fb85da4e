import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const startWithinMs = 15_000;
const endWithinMs = 8000;
const main = fileURLToPath(new URL('./main.js', import.meta.url));

/** Bench-runners on this machine: a fleet of one, spoken to over HTTP like any other. */
export interface LocalShards {
  urls: string[];
  stop(): Promise<void>;
}

/** Starts `count` bench-runners on free loopback ports. They end with this process, however it ends. */
export async function startLocalShards(count: number, allowTargets: readonly string[]): Promise<LocalShards> {
  const children: ChildProcess[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(children.map((child) => end(child)));
  };
  try {
    const urls = await Promise.all(
      Array.from({ length: count }, () => {
        const child = launch(allowTargets);
        children.push(child);
        return addressOf(child);
      }),
    );
    return { urls, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function launch(allowTargets: readonly string[]): ChildProcess {
  const allow = ['loopback', ...allowTargets].flatMap((host) => ['--allow-target', host]);
  return spawn(process.execPath, [main, 'bench-runner', '--host', '127.0.0.1', '--port', '0', ...allow], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, RINGSIDE_EXIT_WITH_STDIN: '1' },
    // A group of its own: Ctrl-C in the terminal is for the driver, which still wants the partial results.
    detached: true,
  });
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`a bench-runner did not listen within ${startWithinMs} ms`)),
      startWithinMs,
    );
    child.once('exit', (code) => reject(new Error(`a bench-runner ended with exit code ${code} before it listened`)));
    child.once('error', reject);
    if (!child.stdout) throw new Error('a bench-runner has no stdout to tell its port on');
    createInterface(child.stdout).once('line', (line) => {
      clearTimeout(timer);
      const { listening } = JSON.parse(line) as { listening: { host: string; port: number } };
      resolve(`http://${listening.host}:${listening.port}`);
    });
  });
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) {
      resolve();
      return;
    }
    const timer = setTimeout(() => child.kill('SIGKILL'), endWithinMs);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    child.kill('SIGTERM');
  });
}
