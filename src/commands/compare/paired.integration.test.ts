import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordOf } from '../../../test/known-truth.js';
import { type Served, workplace } from '../../../test/workplace.js';
import { compareStarts } from '../../measure/paired/compare-starts.js';
import { comparison } from '../../results/comparison.js';

const place = workplace();
const subscribers = 7;
const [starts, rounds, warmUp] = [3, 12, 5];
const size = ['--starts', `${starts}`, '--rounds', `${rounds}`, '--slot', '40ms'];

describe('a paired comparison', () => {
  it('of two servers of known truth counts what each lost, over several shards', async () => {
    const names = ['keen', 'leaky'];
    const [keen, leaky] = await Promise.all([
      place.serve('servers/metronome/main.js', ['--delay', 'constant:5ms']),
      place.serve('servers/metronome/main.js', ['--delay', 'constant:5ms', '--drop', '0.3']),
    ]);
    const file = fileOf('two.yml', { keen, leaky });
    const flags = ['--target-file', file, ...size, '--subscribers', `${subscribers}`, '--drain', '200ms', '--json'];
    const ended = await place.measure(['compare', 'latency', ...flags], 2);
    const { rows, paired } = comparison.parse(JSON.parse(ended.stdout));
    expect(rows.map(({ target, state, runs }) => [target, state, runs.length])).toEqual(
      names.map((name) => [name, 'ran', paired!.starts.length]),
    );
    expect(paired!.targets.map(({ target, twinOf }) => [target, twinOf])).toEqual([
      ['keen', null],
      ['leaky', null],
      ['keen (twin)', 'keen'],
    ]);

    const ledgers = rows.map(({ runs }) => runs.map(({ result }) => result.ledger));
    const owed = paired!.starts.length * rounds * subscribers;
    for (const own of ledgers) expect(total(own, 'expected')).toBe(owed);
    expect(total(ledgers[0]!, 'lost')).toBe(0);
    expect(total(ledgers[1]!, 'lost')).toBeGreaterThan(0);
    expect(paired!.targets[1]!.deliveredShare).toBeCloseTo(1 - total(ledgers[1]!, 'lost') / owed, 10);
    const { pairs, control, equalWithin, startsPlanned } = paired!;
    const again = compareStarts(paired!.starts, { equalWithin, startsPlanned, twin: 2, twinOf: 0, lostUs: 200_000 });
    expect([again?.pairs[0]?.ratio, again?.control?.ratio]).toEqual([pairs[0]?.ratio, control?.ratio]);
    for (const start of paired!.starts) for (const { p50Us } of start) expect(p50Us).toHaveLength(rounds);

    // The twin is a second audience of the same external server.
    expect((await recordOf(keen)).totals.broadcasts).toBe(2 * paired!.starts.length * (rounds + warmUp));
    expect((await recordOf(leaky)).totals.broadcasts).toBe(paired!.starts.length * (rounds + warmUp));
  });

  it.each([
    { scenario: 'echo', room: [], owed: subscribers },
    // A room of five and one of two, which lie over both shards.
    { scenario: 'whisper', room: ['--room', '5'], owed: 5 * 4 + 2 * 1 },
  ])('by $scenario counts every round, and says again what the kept rounds say', async ({ scenario, room, owed }) => {
    const file = fileOf(`${scenario}.yml`, {
      one: await place.serve('servers/metronome/main.js'),
      other: await place.serve('servers/metronome/main.js'),
    });
    const flags = ['--target-file', file, ...size, '--clients', `${subscribers}`, ...room, '--json'];
    const ended = await place.measure(['compare', scenario, ...flags], 2);
    const { paired, rows } = comparison.parse(JSON.parse(ended.stdout));
    const { pairs, control, equalWithin, startsPlanned } = paired!;
    const again = compareStarts(paired!.starts, { equalWithin, startsPlanned, twin: 2, twinOf: 0, lostUs: 5e6 });
    const said = [again?.pairs[0]?.ratio, again?.pairs[0]?.conclusion, again?.control?.ratio];
    expect(said).toEqual([pairs[0]?.ratio, pairs[0]?.conclusion, control?.ratio]);
    for (const target of paired!.starts.flat()) {
      for (const perRound of [target.p50Us, target.p50AtLeastUs, target.lastUs]) expect(perRound).toHaveLength(rounds);
      expect([0, rounds]).toContain(target.stolenUs.length);
    }
    const whole = { expected: rounds * owed, delivered: rounds * owed, lost: 0, duplicate: 0, late: 0 };
    for (const { runs } of rows) {
      expect(runs).toHaveLength(paired!.starts.length);
      for (const { result } of runs) expect(result.ledger).toMatchObject(whole);
    }
  });

  it('refuses options of whole runs, and the other way round', async () => {
    const paired = await place.refused(['compare', 'latency', '--repeat', '2', '--rate', '10/s']);
    expect(paired.map(({ message }) => message.split(':')[0])).toEqual(['--repeat', '--rate']);
    const runs = await place.refused(['compare', 'latency', '--design', 'runs', '--budget', '70s']);
    expect(runs.map(({ message }) => message.split(':')[0])).toEqual(['--budget']);
  });

  it('refuses a load that can follow no slots', async () => {
    const problems = await place.refused(['compare', 'echo', '--loop', 'closed', '--slot', '20ms', '--duration', '1s']);
    expect(problems.map(({ message }) => message.split(':')[0])).toEqual(['--duration', '--loop', '--slot']);
    const flags = ['--target', 'ws', '--loop', 'closed', '--clients', '7', '--duration', '100ms', '--repeat', '1'];
    const ended = await place.measure(['compare', 'echo', '--design', 'runs', ...flags, '--json']);
    const { rows, paired } = comparison.parse(JSON.parse(ended.stdout));
    expect([rows[0]?.state, rows[0]?.runs.length, paired]).toEqual(['ran', 1, undefined]);
  });
});

/** A file of running targets, by name. */
function fileOf(name: string, servers: Readonly<Record<string, Pick<Served, 'port'>>>): string {
  const entries = Object.entries(servers).map(
    ([target, { port }]) =>
      `- { name: ${target}, protocol: ws-json, targetUrl: "ws://127.0.0.1:${port}/ws", ` +
      `publishUrl: "http://127.0.0.1:${port}/_broadcast" }\n`,
  );
  const file = join(place.folder, name);
  writeFileSync(file, entries.join(''));
  return file;
}

function total(ledgers: readonly Readonly<Record<string, unknown>>[], entry: string): number {
  return ledgers.reduce((sum, ledger) => sum + Number(ledger[entry]), 0);
}
