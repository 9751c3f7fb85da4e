import { expect, it } from 'vitest';
import { recordOf } from '../../../test/known-truth.js';
import { workplace } from '../../../test/workplace.js';
import { compareStarts } from '../../measure/paired/compare-starts.js';
import { comparison } from '../../results/comparison.js';

const place = workplace();
const subscribers = 7;
const [starts, rounds, warmUp] = [3, 12, 5];
const size = ['--starts', `${starts}`, '--rounds', `${rounds}`, '--slot', '40ms'];

it('a paired comparison of two servers of known truth counts what each lost, over several shards', async () => {
  const names = ['keen', 'leaky'];
  const [keen, leaky] = await Promise.all([
    place.serve('servers/metronome/main.js', ['--delay', 'constant:5ms']),
    place.serve('servers/metronome/main.js', ['--delay', 'constant:5ms', '--drop', '0.3']),
  ]);
  const file = place.targetFile('two.yml', { keen, leaky });
  const flags = ['--target-file', file, ...size, '--clients', `${subscribers}`, '--drain', '200ms', '--json'];
  const ended = await place.measure(['compare', 'latency', ...flags], 2);
  const { rows, paired } = comparison.parse(JSON.parse(ended.stdout));
  expect(rows.map(({ target, state, runs }) => [target, state, runs.length])).toEqual(
    names.map((name) => [name, 'ran', paired!.starts.length + paired!.voidStarts]),
  );
  expect(paired!.targets.map(({ target, twinOf }) => [target, twinOf])).toEqual([
    ['keen', null],
    ['leaky', null],
  ]);

  const ledgers = rows.map(({ runs }) => runs.map(({ result }) => result.ledger));
  // A start that is void counts for no target, and is made again.
  const made = paired!.starts.length + paired!.voidStarts;
  expect(paired!.starts.length).toBeLessThanOrEqual(starts);
  for (const own of ledgers) expect(total(own, 'expected')).toBe(made * rounds * subscribers);
  expect(total(ledgers[0]!, 'lost')).toBe(0);
  expect(total(ledgers[1]!, 'lost')).toBeGreaterThan(0);
  const [keenly, leakily] = paired!.targets.map(({ deliveredShare }) => deliveredShare);
  expect(keenly).toBe(1);
  // The starts that count are some of those that were made: their loss is one of these sums.
  const losses = ledgers[1]!.map(({ lost }) => Number(lost));
  const owed = paired!.starts.length * rounds * subscribers;
  const sums = sumsOf(losses, paired!.starts.length).map((lost) => (owed - lost) / owed);
  expect(sums).toContain(leakily);
  const { pairs, control, equalWithin, startsPlanned, ended: why } = paired!;
  const asked = { equalWithin, startsPlanned, isLast: why !== 'decided' };
  const again = compareStarts(paired!.starts, { ...asked, twin: -1, twinOf: -1 });
  expect([again?.pairs[0]?.ratio, control]).toEqual([pairs[0]?.ratio, null]);
  for (const start of paired!.starts) for (const { p50Us } of start) expect(p50Us).toHaveLength(rounds);

  expect((await recordOf(keen)).totals.broadcasts).toBe(made * (rounds + warmUp));
  expect((await recordOf(leaky, warmUp)).totals.dropped).toBe(total(ledgers[1]!, 'lost'));
});

it('a paired comparison refuses options of whole runs, and the other way round', async () => {
  const paired = await place.refused(['compare', 'latency', '--repeat', '2', '--rate', '10/s']);
  expect(paired.map(({ message }) => message.split(':')[0])).toEqual(['--repeat', '--rate']);
  const runs = await place.refused(['compare', 'latency', '--design', 'runs', '--budget', '70s']);
  expect(runs.map(({ message }) => message.split(':')[0])).toEqual(['--budget']);
});

it('a paired comparison refuses a load that can follow no slots', async () => {
  const problems = await place.refused(['compare', 'echo', '--loop', 'closed', '--slot', '20ms', '--duration', '1s']);
  expect(problems.map(({ message }) => message.split(':')[0])).toEqual(['--duration', '--loop', '--slot']);
  const flags = ['--target', 'ws', '--loop', 'closed', '--clients', '7', '--duration', '100ms', '--repeat', '1'];
  const ended = await place.measure(['compare', 'echo', '--design', 'runs', ...flags, '--json']);
  const { rows, paired } = comparison.parse(JSON.parse(ended.stdout));
  expect([rows[0]?.state, rows[0]?.runs.length, paired]).toEqual(['ran', 1, undefined]);
});

/** The sums of every so many of these values. */
function sumsOf([first, ...others]: readonly number[], count: number): number[] {
  if (count === 0) return [0];
  if (first === undefined) return [];
  return [...sumsOf(others, count - 1).map((sum) => first + sum), ...sumsOf(others, count)];
}

function total(ledgers: readonly Readonly<Record<string, unknown>>[], entry: string): number {
  return ledgers.reduce((sum, ledger) => sum + Number(ledger[entry]), 0);
}
