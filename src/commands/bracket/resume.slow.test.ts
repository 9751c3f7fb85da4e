import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keptDirectory, workplace } from '../../../test/workplace.js';
import { comparison } from '../../results/comparison.js';

const place = workplace();
const load = ['--clients', '7', '--broadcasts', '11', '--rate', '20/s', '--warm-up', '0', '--ramp-rate', '1000/s'];
const bracket = ['bracket', 'latency', '--target', 'metronome', '--repeat', '3', '--drain', '5s', ...load];

it('a bracket goes on with the runs that an interruption left', async () => {
  const first = place.ringside(bracket);
  await first.said('stderr', /^3\/6 /m);
  first.kill('SIGINT');
  const interrupted = await first.ended;
  expect(interrupted.code).toBe(130);
  const directory = keptDirectory(interrupted);
  const keptIn = () => comparison.parse(JSON.parse(readFileSync(join(directory, 'experiment.json'), 'utf8')));
  const runIds = () => keptIn().rows.map(({ runs }) => runs.map(({ result }) => result.job.runId));
  const before = runIds();
  expect(before.map((ids) => ids.length)).toEqual([1, 1]);
  await place.measure([...bracket, '--resume', directory]);
  expect(runIds().map((ids) => ids.length)).toEqual([3, 3]);
  expect(runIds().map((ids) => ids.slice(0, 1))).toEqual(before);
  expect(new Set(keptIn().rows.flatMap(({ runs }) => runs.map(({ result }) => result.job.seed))).size).toBe(1);
});
