import { defineConfig } from 'vitest/config';

/**
 * Tests run at four speeds; the end of a file's name says at which.
 *
 * - `x.test.ts`, unit: no socket, no waiting, no server.
 * - `x.loopback.test.ts`: real sockets on 127.0.0.1, at most with a server in its own process. No CLI, no bench-runner.
 * - `x.integration.test.ts`: the compiled CLI with real bench-runners and targets, small loads and short schedules.
 * - `x.slow.test.ts`: long schedules, many runs, or the whole machine. Only `npm run test:all` runs them.
 *
 * Every file listens on port 0 and writes to its own folder, so files of one kind run beside each other. Tests assert
 * counts and arithmetic. The machine decides how long a test takes, and whether a verdict is clean.
 */
function speed(kind: string, groupOrder: number, maxWorkers: number, testTimeout: number, more = {}) {
  const suffix = kind === 'unit' ? '' : `.${kind}`;
  return {
    test: {
      name: kind,
      include: [`{src,servers,scripts,native,deploy,examples}/**/*${suffix}.test.ts`],
      exclude: [
        ...(kind === 'unit' ? ['**/*.{loopback,integration,slow}.test.ts'] : []),
        ...skipped.flatMap(([, files]) => files),
      ],
      maxWorkers,
      testTimeout,
      hookTimeout: testTimeout,
      // Kinds follow each other, as each has a number of workers of its own.
      sequence: { groupOrder },
      ...more,
    },
  };
}

/** Windows runs drivers and shards, and no servers under test. Why these tests are skipped there: */
const notOnWindows = {
  'servers under test are ended by signals and process groups': [
    'servers/**',
    'src/targets/{launch,needs,observe}/**',
    'src/targets/{own-server.loopback,published-servers}.test.ts',
    'src/run/server/**',
  ],
  'needs a POSIX shell or a FIFO': [
    'src/run/engines/engine-commands.test.ts',
    'src/runner/stuck-line.loopback.test.ts',
  ],
  'checks the repository, which is the same everywhere': ['{scripts,deploy,native}/**', 'src/{rooms,words}.test.ts'],
};
const skipped = process.platform === 'win32' ? Object.entries(notOnWindows) : [];
for (const [why, files] of skipped) process.stderr.write(`skipped on Windows: ${files.join(' ')} (${why})\n`);

/** Slow tests run these again over the targets that `ringside install` and the system bring. */
const overTargets = [
  'servers/{contract,targets,dialects}.loopback.test.ts',
  'servers/{game,socketio-redis}/*.loopback.test.ts',
];

/** Files share a process, which saves most of the time of loading: what they stub is put back behind each test. */
const shared = { isolate: false, restoreMocks: true, unstubEnvs: true, unstubGlobals: true };

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  test: {
    // Kinds of tests share what they compile.
    experimental: { fsModuleCache: true },
    projects: [
      speed('unit', 0, 2, 60_000, shared),
      speed('loopback', 1, 4, 300_000, shared),
      // A run mostly waits for its schedule, and takes a core only while its processes start.
      speed('integration', 2, 4, 600_000, shared),
      speed('slow', 3, 1, 900_000, {
        include: ['{src,servers,scripts,native,deploy,examples}/**/*.slow.test.ts', ...overTargets],
        // One file at a time, whose runs mostly wait.
        env: { TEST_INSTALLED_TARGETS: 'yes', TEST_SHARDS: '5' },
      }),
    ],
  },
});
