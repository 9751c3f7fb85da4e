import { type AnswerBench, type AnswerContext, boundsFor, findingsOf, repeatsOf } from '../bench.js';
import { type MetronomeCase, metronomeCases } from '../cases/measured.js';
import { compared, comparedLine, entryOf } from '../processes/compared.js';
import { recordedRounds } from '../processes/known-run.js';
import { withServers } from '../processes/servers.js';
import { equalWithin, ratioByRecord, saidBy, usualUs } from '../product.js';
import { type CaseRow, type Repeat, tally } from '../tally.js';

const times = { full: 20, quick: 1 };
/** A comparison that hangs is ended after this time. */
const endAfterMs = 1_800_000;
/** Allows for the time to a metronome and back, and for both wake-ups, on a busy machine with two cores. */
const wayUs = 2000;

/** Holds one bench for each group of cases on metronomes. */
export const caseBenches: readonly AnswerBench[] = Object.entries(metronomeCases).map(([name, cases]) => {
  const bounds = boundsFor(name, [
    ...(['orders', 'intervals', 'reasons'] as const),
    ...(cases.some(({ isToldPromised }) => isToldPromised) ? (['told'] as const) : []),
    ...(cases.some(({ endsWithinMs }) => endsWithinMs) ? (['late'] as const) : []),
  ]);
  return {
    name,
    bounds: [...bounds.values()],
    async run(context) {
      const rows: CaseRow[] = [];
      for (const each of cases) {
        const row = await measured(name, each, context);
        context.row(row);
        rows.push(row);
      }
      return findingsOf(bounds, rows);
    },
  };
});

async function measured(bench: string, one: MetronomeCase, context: AnswerContext): Promise<CaseRow> {
  const repeats: Repeat[] = [];
  const many = repeatsOf(context, times);
  for (let repeat = 1; repeat <= many; repeat++) repeats.push(await measure(bench, one, repeat, context));
  const { name, told = [], isToldPromised = false, undecided = [] } = one;
  const expected = { name, equalWithin, told, isToldPromised, undecided: ['chance', 'control', ...undecided] as const };
  return tally(expected, 'measured', repeats);
}

/** Makes one comparison and reads the metronomes' records of it. */
function measure(bench: string, one: MetronomeCase, repeat: number, context: AnswerContext): Promise<Repeat> {
  const labels = Object.keys(one.targets);
  const orders = labels.map((label, place) => ({
    ...{ label, target: 'metronome' },
    options: { ...one.targets[label], seed: repeat * labels.length + place },
  }));
  return withServers(orders, async (file, servers) => {
    const flags = ['--target-file', file, ...(context.isQuick ? one.quick : one.flags)];
    const end = await compared(['compare', 'latency', ...flags], context, endAfterMs);
    const rounds = await recordedRounds(servers, end);
    const recorded = new Map(labels.map((label, place) => [label, usualUs(rounds[place]!)]));
    const usual = (label: string): number => (one.usualMs ? one.usualMs[label]! * 1000 : recorded.get(label)!);
    context.say(comparedLine(end));
    context.note({ bench, case: one.name, recordedUs: Object.fromEntries(recorded), ...entryOf(end) });
    return {
      ...saidBy(end),
      ...(one.endsWithinMs !== undefined && { isLate: end.elapsedMs > one.endsWithinMs }),
      truth: (a, b) => ({
        ...ratioByRecord(usual(a), usual(b), wayUs),
        isEqual: JSON.stringify(one.targets[a]) === JSON.stringify(one.targets[b]),
      }),
    };
  });
}
