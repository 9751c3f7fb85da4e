import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordOf } from '../../../test/known-truth.js';
import { workplace } from '../../../test/workplace.js';
import { compareStarts } from '../../measure/paired/compare-starts.js';
import { comparison } from '../../results/comparison.js';

const place = workplace();
const subscribers = 7;
const [starts, rounds, warmUp] = [3, 12, 5];
const size = ['--starts', `${starts}`, '--rounds', `${rounds}`, '--slot', '40ms', '--subscribers', `${subscribers}`];

describe('a paired comparison', () => {
  it('of two servers of known truth counts what each lost, over several shards', async () => {
    const names = ['keen', 'leaky'];
    const [keen, leaky] = await Promise.all([
      place.serve('servers/metronome/main.js', ['--delay', 'constant:5ms']),
      place.serve('servers/metronome/main.js', ['--delay', 'constant:5ms', '--drop', '0.3']),
    ]);
    const file = join(place.folder, 'two.yml');
    const entry = (name: string, { port }: { port: number }): string =>
      `- { name: ${name}, protocol: ws-json, targetUrl: "ws://127.0.0.1:${port}/ws", ` +
      `publishUrl: "http://127.0.0.1:${port}/_broadcast" }\n`;
    writeFileSync(file, entry('keen', keen) + entry('leaky', leaky));
    const flags = ['--target-file', file, ...size, '--drain', '200ms', '--json'];
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

  it('refuses options of whole runs, and the other way round', async () => {
    const paired = await place.refused(['compare', 'latency', '--repeat', '2', '--rate', '10/s']);
    expect(paired.map(({ message }) => message.split(':')[0])).toEqual(['--repeat', '--rate']);
    const runs = await place.refused(['compare', 'latency', '--design', 'runs', '--budget', '70s']);
    expect(runs.map(({ message }) => message.split(':')[0])).toEqual(['--budget']);
  });
});

function total(ledgers: readonly Readonly<Record<string, unknown>>[], entry: string): number {
  return ledgers.reduce((sum, ledger) => sum + Number(ledger[entry]), 0);
}
