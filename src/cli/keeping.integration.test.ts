import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { latencyFlags } from '../../test/latency.js';
import { keptDirectory, workplace } from '../../test/workplace.js';
import { comparison } from '../results/comparison.js';
import { runResult } from '../results/result.js';

const place = workplace();

it.concurrent.each([
  ['run', [], runResult],
  ['compare', ['--repeat', '1'], comparison],
] as const)('%s prints a result that can no longer be kept, and then says where it is not', (name, more, schema) =>
  place.fleet.lend(1, async (env) => {
    const flags = ['latency', '--target', 'ws', '--json', ...more, ...latencyFlags(7, 53)];
    const command = place.ringside([name, ...flags], { ...env });
    await command.said('stderr', / ramp\b/);
    const results = join(command.folder, 'results');
    rmSync(results, { recursive: true });
    writeFileSync(results, '');
    const ended = await command.ended;
    expect(schema.parse(JSON.parse(ended.stdout))).toMatchObject({ scenario: 'latency' });
    expect(ended.code).toBe(4);
    expect(ended.stderr).toMatch(/^error: .*\/results\/.*ENOTDIR/m);
    expect(() => keptDirectory(ended)).toThrow();
  }),
);
