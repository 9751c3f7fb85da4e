import { CliProcess } from './cli-process.js';

/** The bench-runner's own hard deadline of a job is an hour. */
const withinMs = 3_900_000;

/** A bench-runner process that waits for jobs. */
export interface BenchRunner {
  url: string;
  pid: number;
}

/** Runs `work` with a bench-runner of its own on a free loopback port, which is gone afterwards. */
export async function withBenchRunner<T>(signal: AbortSignal, work: (runner: BenchRunner) => Promise<T>): Promise<T> {
  const runner = new CliProcess(['bench-runner', '--host', '127.0.0.1', '--port', '0'], signal, withinMs);
  try {
    const [, port] = await runner.saw(/"listening":.*"port":(\d+)/, 'stdout');
    return await work({ url: `http://127.0.0.1:${port}`, pid: runner.pid });
  } finally {
    await runner.stop();
  }
}
