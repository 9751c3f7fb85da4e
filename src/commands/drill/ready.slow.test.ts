import { expect, it } from 'vitest';
import { problemsIn } from '../../../test/refusal.js';
import { jobTo, RunnerHttp } from '../../../test/runner-http.js';
import { workplace } from '../../../test/workplace.js';
import { drillResult } from './findings.js';

const place = workplace();

it('a drill loads the shard that allows it, says what two carry, and leaves one that is taken alone', async () => {
  const [open, closed] = await Promise.all([
    place.benchRunner(),
    place.benchRunner(['--allow-target', '10.0.0.0/8', '--max-clients', '101']),
  ]);
  const shards = [open, closed].flatMap(({ port }) => ['--shard', `http://127.0.0.1:${port}`]);
  const { code, stdout } = await place.run(['drill', '--json', ...shards]);
  const found = drillResult.parse(JSON.parse(stdout));
  expect([code, found.isReady]).toEqual([0, true]);
  expect(found.carries).toMatchObject({
    clients: 203,
    clientsLimit: { by: 'the limits of a bench-runner', url: `http://127.0.0.1:${closed.port}` },
    deliveriesPerSecond: null,
  });
  expect(found.shards.map(({ loop }) => loop)).toMatchObject([
    { isMeasured: true, expected: 2 * 100 * 100, delivered: 2 * 100 * 100 },
    { isMeasured: false, isAllowed: false },
  ]);
  for (const { roundTrip } of found.shards) expect(roundTrip?.asked).toBe(9);
  expect(found.findings.filter(({ code: each }) => each === 'loopUnmeasured')).toMatchObject([
    { urls: [`http://127.0.0.1:${closed.port}`] },
  ]);
  // The metronome ended with the drill.
  expect(open.command.family()).toHaveLength(1);

  await new RunnerHttp(open.port).take(jobTo(1, { load: { leaseMs: 600_000 } }));
  const refused = await place.run(['drill', '--json', ...shards]);
  expect(refused.code).toBe(2);
  expect(problemsIn(refused)).toMatchObject([{ code: 'shardBusy' }]);
});
