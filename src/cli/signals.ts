/** Signals that end a run. */
export const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Under npm, Ctrl-C arrives twice: from the terminal and from npm. A busy process reads the second one late. */
const samePressMs = 1000;

/** Runs `end` once at the first signal, and `again` at each one more than a second later. */
export function onSignals(
  end: (signal: NodeJS.Signals) => void | Promise<void>,
  again: (signal: NodeJS.Signals) => void = () => undefined,
): void {
  let isBegun = false;
  let isOver = false;
  const pressOver = (): void => {
    isOver = true;
  };
  for (const signal of signals) {
    process.on(signal, () => {
      if (isOver) again(signal);
      else if (!isBegun) {
        isBegun = true;
        // An immediate runs behind the signals that came while the loop was busy.
        setTimeout(setImmediate, samePressMs, pressOver).unref();
        void end(signal);
      }
    });
  }
}

/** With RINGSIDE_EXIT_WITH_STDIN=1, runs `end` when stdin closes. The parent may be killed and send no signal. */
export function exitWithStdin(end: () => void | Promise<void>): void {
  if (process.env.RINGSIDE_EXIT_WITH_STDIN !== '1') return;
  process.stdin.on('end', () => void end());
  process.stdin.on('error', () => void end());
  process.stdin.resume();
}

/** Texts for the first signal: before any load, as during a wait or a drill, and from the first load on. */
export const signalWords = {
  unmeasured: 'ending; there is nothing to keep here',
  measuring: 'ending the run; what was measured is kept',
};

/** Returns a signal that the first signal to the process aborts. The next one ends the process. */
export function interruptSignal(exitCode: number, words: () => string): AbortSignal {
  const controller = new AbortController();
  onSignals(
    () => {
      process.stderr.write(`\n${words()} (once more to quit at once)\n`);
      controller.abort();
    },
    (signal) => {
      // A closing terminal and its shell each send a SIGHUP.
      if (signal !== 'SIGHUP') process.exit(exitCode);
    },
  );
  return controller.signal;
}
