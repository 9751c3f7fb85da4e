/** Runs `end` once at the first SIGINT, SIGTERM or SIGHUP, and `again` at each further one. */
export function onSignals(
  end: (signal: NodeJS.Signals) => void | Promise<void>,
  again: () => void = () => undefined,
): void {
  let isEnding = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (isEnding) return again();
      isEnding = true;
      void end(signal);
    });
  }
}

/** Runs `end` when stdin closes, for processes started by one that may be killed: with it goes the pipe. Asked for by RINGSIDE_EXIT_WITH_STDIN=1. */
export function exitWithStdin(end: () => void | Promise<void>): void {
  if (process.env.RINGSIDE_EXIT_WITH_STDIN !== '1') return;
  process.stdin.on('end', () => void end());
  process.stdin.on('error', () => void end());
  process.stdin.resume();
}

/** What the first signal does to a run that goes. */
export const runEnds = 'ending the run; what was measured is kept';

/**
 * Aborted by the first signal, so that a run ends with its partial result; a second one ends the process at once, unless a terminal that closes
 * sends it. `words` are what is true of the first.
 */
export function interruptSignal(exitCode: number, words: () => string = () => runEnds): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) {
        // A terminal that closes and its shell each send one.
        if (signal === 'SIGHUP') return;
        process.exit(exitCode);
      }
      process.stderr.write(`\n${words()} (once more to quit at once)\n`);
      controller.abort();
    });
  }
  return controller.signal;
}
