import { countText } from '../../../src/units/text.js';
import { type AnswerBench, type AnswerContext, boundsFor, findingsOf, repeatsOf } from '../bench.js';
import { audiences, servers } from '../cases/measured.js';
import { type Compared, compared, comparedLine, entryOf } from '../processes/compared.js';
import { reproducedRuns, type SingleRuns, wholeRuns } from '../processes/single-runs.js';
import { equalWithin, ratioByRuns, saidBy } from '../product.js';
import { type CaseRow, type Repeat, tally } from '../tally.js';

const times = { full: 20, quick: 1 };
const runs = { full: 3, quick: 1 };
/** On a shared machine, the next single run of a server can take longer by this factor. */
const slack = 1.25;
const endAfterMs = 1_800_000;
const quickFlags = ['--starts', '3', '--rounds', '12'];

const bounds = boundsFor('subscribers', ['orders', 'intervals', 'control', 'reasons']);

/**
 * Compares the same servers in every size. A comparison in turns must give the same answer as whole runs one after the
 * other, and as `ringside reproduce`. Quick mode uses only the small sizes.
 */
export const subscribersBench: AnswerBench = {
  name: 'subscribers',
  bounds: [...bounds.values()],
  async run(context) {
    const rows: CaseRow[] = [];
    for (const each of audiences.slice(0, context.isQuick ? 2 : undefined)) {
      for (const row of await measured(each, context)) {
        context.row(row);
        rows.push(row);
      }
    }
    return findingsOf(bounds, rows);
  },
};

const kinds = ['whole runs', 'reproduce'] as const;

/** Returns the rows of one size: the same comparisons against each kind of single runs. */
async function measured(clients: number, context: AnswerContext): Promise<CaseRow[]> {
  const repeats = kinds.map((): Repeat[] => []);
  const targets = servers.flatMap((server) => ['--target', server]);
  const load = ['--subscribers', `${clients}`, ...(context.isQuick ? quickFlags : [])];
  for (let repeat = 0; repeat < repeatsOf(context, times); repeat++) {
    const end = await compared(['compare', 'latency', ...load, ...targets], context, endAfterMs);
    const each = runs[context.isQuick ? 'quick' : 'full'];
    const whole = await wholeRuns(servers, clients, each, context);
    const reproduced = await reproducedRuns(clients, context);
    const p50s = { whole: Object.fromEntries(whole), reproduced: Object.fromEntries(reproduced) };
    context.say(`${comparedLine(end)}; ${JSON.stringify(p50s)}`);
    context.note({ bench: 'subscribers', subscribers: clients, p50s, ...entryOf(end) });
    for (const [kind, single] of [whole, reproduced].entries()) repeats[kind]!.push(besideRuns(end, single));
  }
  return kinds.map((kind, place) => {
    const name = `${servers.join(', ')}: ${countText(clients)} subscribers, beside ${kind}`;
    const undecided = ['chance', 'rig', 'neighbours', 'control'] as const;
    return tally({ name, equalWithin, told: [], isToldPromised: false, undecided }, 'measured', repeats[place]!);
  });
}

/** Compares a comparison with single runs. Without a run of every server there is no truth to compare with. */
function besideRuns(end: Compared, single: SingleRuns): Repeat {
  const isWhole = servers.every((server) => (single.get(server)?.length ?? 0) > 0);
  return {
    ...(isWhole ? saidBy(end) : { answer: undefined, lack: 'no answer' as const }),
    truth: (a, b) => ({ ...ratioByRuns(single.get(a) ?? [], single.get(b) ?? [], slack), isEqual: false }),
  };
}
