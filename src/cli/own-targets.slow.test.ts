import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { env, expectSecret, map, own, place, results } from '../../test/runs/own-target.js';
import { keptDirectory } from '../../test/workplace.js';
import { suiteResult } from '../results/experiment.js';

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
