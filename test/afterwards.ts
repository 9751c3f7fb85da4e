import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs a shell script when you call what it returns, which throws if the script fails; or half a minute after this
 * process has ended without that call, even if it was killed. Until then, its last command may still start something.
 * A shell of a session of its own waits at its stdin: the kernel closes that pipe with this process.
 */
export function afterwards(script: string): () => Promise<void> {
  const waiting = `read -r called || sleep 30\n${script}`;
  const shell = spawn('sh', ['-ec', waiting], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = once(shell, 'exit');
  shell.unref();
  return async () => {
    shell.ref();
    shell.stdin.end('called\n');
    const [code] = await ended;
    if (code !== 0) throw new Error(`it ended with ${code}: ${script}`);
  };
}
