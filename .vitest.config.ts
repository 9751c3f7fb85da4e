import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{src,servers,scripts}/**/*.test.ts'],
          exclude: ['**/*.integration.test.ts'],
          // A property over long samples takes seconds where others use the cores, too.
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['{src,servers,scripts}/**/*.integration.test.ts'],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
