import { defineConfig } from 'vitest/config';

/**
 * Tests run at four speeds; the end of a file's name says at which.
 *
 * - `x.test.ts`, unit: no socket, no waiting, no server.
 * - `x.loopback.test.ts`: real sockets on 127.0.0.1, at most with a server of `servers/` in its own process. No CLI, no bench-runner.
 * - `x.integration.test.ts`: the compiled CLI with real bench-runners and targets, on a small load and a short schedule.
 * - `x.slow.test.ts`: the same with long schedules, many runs, or all of the machine. `npm test` leaves them out, `npm run test:all` does not.
 *
 * Every file listens on port 0 and writes to a folder of its own, so that files of one kind run beside each other. Tests assert counts and arithmetic:
 * how long something takes, and whether a verdict is clean, is up to the machine.
 */
function speed(kind: string, groupOrder: number, maxWorkers: number, testTimeout: number, more = {}) {
  const suffix = kind === 'unit' ? '' : `.${kind}`;
  return {
    test: {
      name: kind,
      include: [`{src,servers,scripts}/**/*${suffix}.test.ts`],
      exclude: kind === 'unit' ? ['**/*.{loopback,integration,slow}.test.ts'] : [],
      maxWorkers,
      testTimeout,
      hookTimeout: testTimeout,
      // Kinds follow each other, as each has a number of workers of its own.
      sequence: { groupOrder },
      ...more,
    },
  };
}

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  test: {
    projects: [
      // Files share a process, which saves two thirds of the time: what they stub is put back behind each test.
      speed('unit', 0, 2, 60_000, { isolate: false, restoreMocks: true, unstubEnvs: true, unstubGlobals: true }),
      speed('loopback', 1, 4, 300_000),
      // A run mostly waits for its schedule, and takes a core only while its processes start.
      speed('integration', 2, 2, 600_000),
      speed('slow', 3, 1, 900_000),
    ],
  },
});
