import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { env, expectSecret, file, load, map, own, place, results } from '../../test/runs/own-target.js';
import { keptDirectory } from '../../test/workplace.js';
import { comparison } from '../results/comparison.js';
import { suiteResult } from '../results/experiment.js';

it.concurrent('a server with a login is compared with ours, by its name', async () => {
  const ended = await place.run(
    ['compare', 'latency', '--target', 'ws', '--target-file', file, ...load, '--design', 'runs', '--repeat', '2'],
    env,
  );
  const kept = comparison.parse(JSON.parse(readFileSync(join(keptDirectory(ended), 'experiment.json'), 'utf8')));
  expect(kept.rows.map(({ target, state, runs }) => [target, state, runs.length])).toEqual([
    ['ws', 'ran', 2],
    ['mine', 'ran', 2],
  ]);
  const runs = kept.rows.flatMap((row) => row.runs.map(({ result }) => result));
  for (const { ledger } of runs) expect(ledger).toMatchObject({ expected: 143, lost: 0 });
  expect(new Set(runs.map(({ fingerprint }) => fingerprint)).size).toBe(1);
  expect(ended.stdout).toMatch(/^mine /m);
  expectSecret(ended);
});

it.concurrent('a server with a login is part of a suite, which goes on where it was interrupted', async () => {
  const path = join(place.folder, 'own-suite.yml');
  const options = 'clients: 13, broadcasts: 11, rate: 20/s, warmUp: 3, drain: 5s';
  const more = `thresholds: [lost==0], options: { ${options} }`;
  writeFileSync(
    path,
    `name: own\nseed: 7\ntargets: [ws, ${map(own)}]\nrepeat: 2\nentries:\n  - { scenario: latency, ${more} }\n`,
  );
  const nobody = await place.run(['suite', 'run', path], { ...env, MINE_KEY: undefined });
  expect(nobody).toMatchObject({ code: 2, stderr: expect.stringContaining('MINE_KEY') });

  const first = place.ringside(['suite', 'run', path], env);
  await first.said('stderr', /^2\/4 latency mine /m);
  first.kill('SIGINT');
  const interrupted = await first.ended;
  expect(interrupted.code).toBe(130);

  const second = await place.run(['suite', 'run', path, '--resume'], env);
  expect(second.stderr).toMatch(/^suite own: 1 \D+ 4 \D+ 1 \D+/m);
  const { isComplete, entries } = suiteResult.parse(
    JSON.parse(readFileSync(join(keptDirectory(second), 'experiment.json'), 'utf8')),
  );
  expect(isComplete).toBe(true);
  expect(entries[0]?.rows.map(({ target }) => target)).toEqual(['ws', 'mine']);
  const night = await place.run(['suite', 'run', path, '--baseline', results, '--json'], env);
  const [held] = suiteResult.parse(JSON.parse(night.stdout)).entries;
  expect(held?.rows.map(({ target, changes }) => [target, changes === null])).toEqual([
    ['ws', false],
    ['mine', false],
  ]);
  expectSecret(nobody, interrupted, second, night);
});
