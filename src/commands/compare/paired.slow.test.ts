import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keptDirectory, workplace } from '../../../test/workplace.js';
import { compareStarts } from '../../measure/paired/compare-starts.js';
import { comparison } from '../../results/comparison.js';
import { runFile, runResult } from '../../results/result.js';

const place = workplace();
const subscribers = 7;
const [starts, rounds] = [3, 12];
const size = ['--starts', `${starts}`, '--rounds', `${rounds}`, '--slot', '40ms'];

it('finds slots, compares managed targets, stops neighbours in turn, and loses nothing by that', async () => {
  const flags = ['--target', 'ws', '--target', 'uws', '--clients', '13', '--starts', '3', '--rounds', '12'];
  const ended = await place.measure(['compare', 'latency', ...flags, '--json']);
  const { paired, rows, fingerprint } = comparison.parse(JSON.parse(ended.stdout));
  for (const slotMs of paired!.slotsMs) expect(slotMs).toBeGreaterThanOrEqual(20);
  expect(paired!.crowd?.map(({ target }) => target)).toEqual(['ws', 'uws']);
  const made = paired!.starts.length + paired!.voidStarts;
  expect(rows.map(({ runs }) => runs.length)).toEqual([made, made]);
  const directory = keptDirectory(ended);
  for (const part of ['pilot', 'alone']) {
    const runs = readdirSync(join(directory, part)).map((name) => join(directory, part, name, runFile));
    // A busy machine may need a second look at the slots.
    expect([runs.length > 0, runs.length % 3]).toEqual([true, 0]);
    for (const file of runs) {
      const { ledger, stop } = runResult.parse(JSON.parse(readFileSync(file, 'utf8')));
      expect([stop.code, ledger.lost, ledger.expected]).toEqual(['completed', 0, ledger.delivered]);
    }
  }
  const shown = await place.run(['show', directory, '--json']);
  expect(comparison.parse(JSON.parse(shown.stdout))).toMatchObject({ fingerprint, paired });
});

it.each([
  { scenario: 'echo', room: [], owed: subscribers },
  // A room of five and one of two, which lie over both shards.
  { scenario: 'whisper', room: ['--room', '5'], owed: 5 * 4 + 2 * 1 },
])('by $scenario counts every round, and says again what the kept rounds say', async ({ scenario, room, owed }) => {
  const file = place.targetFile(`${scenario}.yml`, {
    one: await place.serve('servers/metronome/main.js'),
    other: await place.serve('servers/metronome/main.js'),
  });
  const flags = ['--target-file', file, ...size, '--clients', `${subscribers}`, ...room, '--json'];
  const ended = await place.measure(['compare', scenario, ...flags], 2);
  const { paired, rows } = comparison.parse(JSON.parse(ended.stdout));
  const { pairs, control, equalWithin, startsPlanned, ended: why } = paired!;
  const asked = { equalWithin, startsPlanned, isLast: why !== 'decided' };
  const again = compareStarts(paired!.starts, { ...asked, twin: -1, twinOf: -1 });
  const said = [again?.pairs[0]?.ratio, again?.pairs[0]?.holds];
  expect([...said, control]).toEqual([pairs[0]?.ratio, pairs[0]?.holds, null]);
  for (const target of paired!.starts.flat()) {
    for (const perRound of [target.p50Us, target.p50AtLeastUs, target.lastUs]) expect(perRound).toHaveLength(rounds);
    expect([0, rounds]).toContain(target.stolenUs.length);
  }
  const whole = { expected: rounds * owed, delivered: rounds * owed, lost: 0, duplicate: 0, late: 0 };
  for (const { runs } of rows) {
    expect(runs).toHaveLength(paired!.starts.length + paired!.voidStarts);
    for (const { result } of runs) expect(result.ledger).toMatchObject(whole);
  }
});

it('an axis measures a server without and with compression, and refuses one that does not agree', async () => {
  const flags = [...size, '--clients', `${subscribers}`, '--payload', '1kb', '--axis', 'compression', '--json'];
  const agreed = await place.measure(['compare', 'latency', '--target', 'ws', ...flags], 2);
  const { rows, paired, axis } = comparison.parse(JSON.parse(agreed.stdout));
  expect(axis).toBe('compression');
  expect(paired!.targets.map(({ target, twinOf }) => [target, twinOf])).toEqual([
    ['ws', null],
    ['ws+compression', null],
    ['ws (twin)', 'ws'],
  ]);
  const usesOf = (row: number) =>
    rows[row]!.runs.flatMap(({ result }) => result.shards.flatMap((shard) => shard.result?.rig.engines ?? []));
  const clients = usesOf(1).reduce((sum, { compressedClients = 0 }) => sum + compressedClients, 0);
  expect(clients).toBe(rows[1]!.runs.length * subscribers);
  for (const { deflatedBytes = 0, inflatedBytes = 0 } of usesOf(1)) expect(deflatedBytes).toBeLessThan(inflatedBytes);
  for (const use of usesOf(0)) expect(use).not.toHaveProperty('compressedClients');
  for (const { runs } of rows) for (const { result } of runs) expect(result.ledger).toMatchObject({ lost: 0 });

  const refused = await place.measure(['compare', 'latency', '--target', 'socketio', ...flags], 1);
  const found = comparison.parse(JSON.parse(refused.stdout));
  expect(found.rows.map(({ state, runs }) => [state, runs.length])).toEqual([
    ['ran', 0],
    ['failed', 1],
  ]);
  expect(found.rows[1]!.why).toContain('bad-upgrade:no compression');
});
