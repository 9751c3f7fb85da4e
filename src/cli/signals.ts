/** The signals that end a run. */
export const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ctrl-C under npm arrives twice: from the terminal and from npm. */
const samePressMs = 1000;

/** Runs `end` once at the first signal, and `again` at each one more than a second later. */
export function onSignals(
  end: (signal: NodeJS.Signals) => void | Promise<void>,
  again: (signal: NodeJS.Signals) => void = () => undefined,
): void {
  let firstMs: number | undefined;
  for (const signal of signals) {
    process.on(signal, () => {
      const nowMs = performance.now();
      if (firstMs === undefined) {
        firstMs = nowMs;
        void end(signal);
      } else if (nowMs - firstMs > samePressMs) again(signal);
    });
  }
}

/** With RINGSIDE_EXIT_WITH_STDIN=1, runs `end` when stdin closes: its parent may be killed and send no signal. */
export function exitWithStdin(end: () => void | Promise<void>): void {
  if (process.env.RINGSIDE_EXIT_WITH_STDIN !== '1') return;
  process.stdin.on('end', () => void end());
  process.stdin.on('error', () => void end());
  process.stdin.resume();
}

/** What the first signal says: before any load, as during a wait or a drill, and from the first load on. */
export const signalWords = {
  unmeasured: 'ending; there is nothing to keep here',
  measuring: 'ending the run; what was measured is kept',
};

/** Aborted by the first signal, with `words` on stderr; the next one ends the process. */
export function interruptSignal(exitCode: number, words: () => string): AbortSignal {
  const controller = new AbortController();
  onSignals(
    () => {
      process.stderr.write(`\n${words()} (once more to quit at once)\n`);
      controller.abort();
    },
    (signal) => {
      // A terminal that closes and its shell each send a SIGHUP.
      if (signal !== 'SIGHUP') process.exit(exitCode);
    },
  );
  return controller.signal;
}
