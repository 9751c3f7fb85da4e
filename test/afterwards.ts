import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs a shell script when this process has ended, even if it was killed; or now, when you call what it returns, which
 * throws if the script fails. A shell of a session of its own waits for the end of its stdin: the kernel closes that
 * pipe with this process.
 */
export function afterwards(script: string): () => Promise<void> {
  const waiting = `cat > /dev/null\n${script}`;
  const shell = spawn('sh', ['-ec', waiting], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = once(shell, 'exit');
  shell.unref();
  return async () => {
    shell.ref();
    shell.stdin.end();
    const [code] = await ended;
    if (code !== 0) throw new Error(`it ended with ${code}: ${script}`);
  };
}
