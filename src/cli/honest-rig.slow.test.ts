import { join } from 'node:path';
import { expect, it } from 'vitest';
import { latencyFlags, soundResult } from '../../test/latency.js';
import { keptDirectory, workplace } from '../../test/workplace.js';
import { comparison } from '../results/comparison.js';
import { calibration } from '../results/experiment.js';
import { engineHere } from '../wire/choice.js';

const place = workplace();

it.concurrent('calibrate counts what each metronome counts, keeps what may be trusted, and runs know it', async () => {
  const trust = join(place.folder, 'trust');
  const grid = ['--client', 'wire', '--client', 'library', '--clients', '31', '--rate', '50/s', '--broadcasts', '29'];
  const metronomes = ['metronome', 'metronome-socketio', 'metronome-anycable'].flatMap((name) => ['--target', name]);
  const orders = ['delay=uniform:1ms,10ms', 'drop=0.05', 'duplicate=0.05'].flatMap((each) => ['--target-option', each]);
  // How far off it is, is for a quiet machine to say: counts are not.
  const ended = await place.run([
    'calibrate',
    ...grid,
    ...metronomes,
    ...orders,
    ...['--bound', '60s', '--trust', trust, '--json'],
  ]);
  const found = calibration.parse(JSON.parse(ended.stdout));
  expect(found.points.map(({ target, load }) => `${target} ${load.client}`).sort()).toEqual([
    'metronome library',
    'metronome wire',
    'metronome-anycable library',
    'metronome-anycable wire',
    'metronome-socketio library',
    'metronome-socketio wire',
  ]);
  for (const { counts, areCountsExact, isTrusted, done, measured } of found.points) {
    expect(counts.broadcasts).toEqual({ done: 29, measured: 29 });
    expect(counts.delivered!.done + counts.lost!.done).toBe(29 * 31);
    for (const each of Object.values(counts)) expect(each.measured).toBe(each.done);
    expect(counts.lost!.done).toBeGreaterThan(0);
    expect(counts.duplicate!.done).toBeGreaterThan(0);
    expect({ areCountsExact, isTrusted }).toEqual({ areCountsExact: true, isTrusted: true });
    // A frame can't be read before it was written.
    expect(measured.p50).toBeGreaterThanOrEqual(done.p50!);
  }
  expect(ended.code).toBe(0);
  const { name } = await engineHere();
  const shown = await place.run(['show', keptDirectory(ended)]);
  expect(shown.stdout).toMatch(new RegExp(`with ${name} wire clients .*\\b31 .* 50/s `));

  const placeOf = async (subscribers: number, ...more: string[]): Promise<string | undefined> => {
    const flags = [...latencyFlags(subscribers, 11), ...more, '--trust', trust];
    const { environment } = soundResult(await place.run(['run', 'latency', '--target', 'ws', ...flags]));
    return environment.trust?.place;
  };
  expect(await placeOf(7)).toBe('inside');
  expect(await placeOf(101)).toBe('untried');
  expect(await placeOf(7, '--payload', '1kb')).toBe('untried');
});

it.concurrent('calibrate names the engine that it measured, and says nothing of a run on another', async () => {
  const { name } = await engineHere();
  const trust = join(place.folder, 'trust-of-an-engine');
  const grid = ['--client', 'wire', '--clients', '31', '--rate', '50/s', '--broadcasts', '29'];
  const ended = await place.run([
    'calibrate',
    ...grid,
    '--engine',
    'auto',
    '--bound',
    '60s',
    '--trust',
    trust,
    '--json',
  ]);
  expect(calibration.parse(JSON.parse(ended.stdout)).points).toMatchObject([{ load: { engine: name } }]);
  const trustOn = async (engine: string) => {
    const flags = [...latencyFlags(7, 11), '--engine', engine, '--trust', trust];
    return soundResult(await place.run(['run', 'latency', '--target', 'ws', ...flags])).environment.trust;
  };
  expect(await trustOn('auto')).toMatchObject({ place: 'inside', load: { engine: name } });
  if (name === 'native') expect(await trustOn('js')).toMatchObject({ place: 'untried', otherEngine: 'js' });
});

it.concurrent('a proven run is repeated three times on each rig, interleaved, and says what it held', async () => {
  const ended = await place.run(['run', 'latency', '--target', 'ws', ...latencyFlags(7, 23), '--prove', '--json']);
  const { rows, repeat, proof } = comparison.parse(JSON.parse(ended.stdout));
  expect(repeat).toBe(3);
  expect(proof?.variants.map(({ workersPerShard, isBase }) => [workersPerShard, isBase]).slice(0, 2)).toEqual([
    [1, true],
    [2, false],
  ]);
  const inTime = rows
    .flatMap(({ target, runs }) =>
      runs.map(({ result }) => ({ row: target, startedAt: result.startedAt, ledger: result.ledger })),
    )
    .sort((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt));
  const names = rows.map(({ target }) => target);
  const n = names.length;
  const rounds = [0, 1, 2].map((round) =>
    inTime
      .slice(round * n, (round + 1) * n)
      .map(({ row }) => row)
      .sort(),
  );
  expect(rounds).toEqual(Array(3).fill(names.toSorted()));
  for (const { ledger } of inTime) expect(ledger).toMatchObject({ delivered: 7 * 23, lost: 0 });
  expect(rows[1]?.runs.map(({ result }) => result.shards[0]?.result?.workers)).toEqual([2, 2, 2]);
  const base = names[0];
  expect(proof?.against.length).toBeGreaterThan(0);
  for (const { a } of proof?.against ?? []) expect(a).toBe(base);
  const shown = await place.run(['show', keptDirectory(ended)]);
  expect(shown.stdout).toMatch(/^proof {2}(HELD|OPEN|MOVED)/m);
});

it.concurrent('bracket measures through both kinds of clients and says whether they agree', async () => {
  const ended = await place.run(['bracket', 'latency', '--target', 'ws', ...latencyFlags(7, 23)]);
  expect(ended.stdout).toMatch(/^bracket {2}latency .*\bws\b.* 3 /);
  expect(ended.stdout).toMatch(/^wire .*\n^library /m);
  for (const about of ['p50', 'publish']) expect(ended.stdout).toMatch(new RegExp(`^${about}: `, 'm'));
});

it.concurrent('kept runs of different shapes are shown together by force alone, with one difference', async () => {
  const kept = async (subscribers: number, target: string): Promise<string> =>
    keptDirectory(await place.run(['run', 'latency', '--target', target, ...latencyFlags(subscribers, 11)]));
  const [seven, alike, eleven] = [await kept(7, 'ws'), await kept(7, 'uws'), await kept(11, 'ws')];
  const together = await place.run(['show', seven, alike]);
  expect(together).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ws .*\nuws /m) });
  const refused = await place.run(['show', seven, eleven]);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toMatch(/options\.clients: 7 .*11/);
  const forced = await place.run(['show', seven, eleven, '--force']);
  expect(forced.code).toBe(0);
  expect(forced.stdout).toMatch(/options\.clients: 7 .*11/);
});
