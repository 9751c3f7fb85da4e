import { z } from 'zod';
import { type ExitName, worstExit } from '../../../contract/exit-codes.js';
import { ProblemError } from '../../../contract/problems.js';
import type { ShardInfo } from '../../../contract/shard.js';
import { askedOf, openJournal, resumeNote, withSeed } from '../../../experiment/journal.js';
import { readMachine } from '../../../measure/rig/machine.js';
import { statementWords } from '../../../render/words/statement.js';
import type { Knee, KneeTry } from '../../../results/search.js';
import { carryProblems } from '../../../run/plan/preflight.js';
import { greetAll } from '../../../run/shards/dispatch.js';
import { shownLoad } from '../../../scenarios/load-options.js';
import { plain } from '../../command.js';
import { exitOfProblems, keepingFound, type SearchContext } from '../search.js';
import { exitOfRow, kneeAt, samenessOf } from './knee.js';
import { type KneePlan, kneeOptions, kneeSchema, planKnee, planOfRun, scenario } from './plan.js';
import { kneeDocument } from './print.js';

/** `ringside knee`: finds the rate at which a target jams. Exits with 4 if the rig stopped first. */
export const command = plain({
  options: kneeSchema,
  hasFile: true,
  load: { scenario, options: z.strictObject({ ...kneeOptions.shape, ...scenario.options.shape }) },
  run(session, given) {
    const kneePlan = planKnee(given);
    const { plan } = kneePlan;
    return session.measure({
      label: 'knee',
      fleet: plan.fleet,
      targets: [plan.target],
      work: async (context) => {
        const { knee, directory, exit } = await findKnees(kneePlan, {
          ...context,
          begins: (label) => context.label(`knee ${plan.target.name}  ${label}`),
          tried: (label, one) => context.note(`${label}: ${inWords(one)}`),
        });
        return { data: knee, document: kneeDocument(knee), directory, ...resumeNote(directory, exit), exit };
      },
    });
  },
});

function inWords({ holds, signs, why: open }: KneeTry): string {
  const why = holds === 'open' ? open : signs.map(({ text }) => text);
  return [statementWords.keepsUp[holds], ...why].join('; ');
}

/** Finds the knees, and keeps them however the search ends. Throws `ProblemError` before the first run. */
export async function findKnees(
  given: KneePlan,
  context: SearchContext<KneeTry>,
): Promise<{ knee: Knee; directory: string; exit: ExitName }> {
  const infos = await greetAll(context.shards);
  refuse(given, context, infos);
  const { clients, resume, directory, plan } = given;
  const { minRate, maxRate, precision, repeat } = given.shape;
  const lengths = { durationMs: given.durationMs, drainMs: given.drainMs };
  const asked = { clients, minRate, maxRate, precision, repeat, ...lengths };
  const journal = await openJournal(
    {
      ...{ resume, directory, resultsDir: plan.fleet.resultsDir, name: ['throughput', plan.target.name, 'knee'] },
      ...{ seed: plan.fleet.seed, asked: askedOf([{ label: plan.target.name, plan }], asked) },
    },
    context.notKept,
  );
  const [kneePlan] = withSeed([given], journal.kept.seed) as [KneePlan];
  const all: ReturnType<typeof kneeAt>[] = [];
  const refusals: ProblemError[] = [];
  const work = async (): Promise<void> => {
    for (const each of clients) {
      const one = kneeAt(kneePlan, each, context);
      all.push(one);
      await one.run(journal).catch((error: unknown) => {
        if (!(error instanceof ProblemError) || all.length === 1) throw error;
        refusals.push(error);
      });
      if (one.search.exit !== 'clean' || refusals.length > 0) return;
    }
  };
  const keep = (fault?: string): Promise<Knee> => {
    const faults = fault === undefined ? [] : [fault];
    const because = [...all.flatMap((one) => one.why()), ...refusals.map(({ message }) => message), ...faults];
    return journal.keep(kneeOf(kneePlan, infos, all, because));
  };
  const hasFound = () => all.some(({ search: { points } }) => points.length > 0);
  const knee = await keepingFound({ journal, hasFound, tell: context.tell }, work, keep);
  const byRows = knee.rows.map((row) => exitOfRow(row, given.shape));
  const exit = worstExit([...all.map(({ search }) => search.exit), ...refusals.map(exitOfProblems), ...byRows]);
  return { knee, directory: journal.directory, exit };
}

function refuse(
  kneePlan: KneePlan,
  { shards, childDescriptors }: SearchContext<KneeTry>,
  infos: readonly ShardInfo[],
): void {
  const carrier = {
    shards: shards.map(({ url }, index) => ({ url, info: infos[index] as ShardInfo })),
    childDescriptors,
  };
  const { shape, clients } = kneePlan;
  const problems = clients.flatMap((each) => carryProblems(planOfRun(kneePlan, each, shape.maxRate), carrier));
  const distinct = new Map(problems.map((each) => [each.message, each]));
  if (distinct.size > 0) throw new ProblemError([...distinct.values()]);
}

function kneeOf(
  kneePlan: KneePlan,
  infos: readonly ShardInfo[],
  all: readonly ReturnType<typeof kneeAt>[],
  endedBecause: readonly string[],
) {
  const { plan, shape, durationMs, drainMs } = kneePlan;
  const { broadcasts: _none, clients: _many, ratePerSecond: _any, ...options } = plan.options;
  const { name, protocol } = plan.target;
  const { versions = {}, settings = {} } = all.findLast((one) => one.described())?.described() ?? {};
  const rows = all.filter(({ search }) => search.points.length > 0).map((each) => each.row());
  return {
    kind: 'knee' as const,
    target: { name, protocol, isOurs: plan.target.isOurs, versions, settings },
    client: plan.load.client,
    publish: String(plan.options.publish),
    ...shape,
    durationMs,
    drainMs,
    job: {
      options: { ...options, durationMs, drainMs },
      load: shownLoad(plan.load),
      shards: infos.length,
      seed: plan.fleet.seed,
    },
    sources: plan.sources,
    environment: { driver: readMachine(), shards: infos.map(({ machine }) => machine) },
    rows,
    sameness: samenessOf(rows),
    endedBecause: endedBecause.join('; '),
  };
}
