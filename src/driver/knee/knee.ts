import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { median } from 'simple-statistics';
import type { Knee, KneeRow, KneeTry } from '../../contract/knee.js';
import { ProblemError } from '../../contract/problems.js';
import { resultVersion } from '../../contract/result.js';
import { type StopCode, stopReasons } from '../../contract/stop-reasons.js';
import { version } from '../../contract/version.js';
import type { JamFacts, Plateau } from '../../measure/jam.js';
import { resultDirectory } from '../keep.js';
import { type RunContext, run } from '../run.js';
import { HeldTarget } from './held-target.js';
import { factsOf, judgeRun, plateauOf } from './judge.js';
import { type KneePlan, planOfRun } from './plan.js';
import { edgesOf, majority, nextRate, type Tried } from './search.js';

/** Whom to tell of a search. */
export interface KneeContext extends RunContext {
  begins(subscribers: number, ratePerSecond: number): void;
  tried(subscribers: number, one: KneeTry): void;
}

/** Knees of the seed's one server, at 25 to 1,000 subscribers, lay between 9,000 and 10,000 messages a second; what two searches of 5 % each can differ by comes on top. */
export const allowedSpread = 0.15;

/** What ends a search, as no other rate would go better. */
const endings: readonly StopCode[] = ['interrupted', 'shardLost', 'rigFault'];

/**
 * Finds the rate at which a target jams, at each number of subscribers: one process of it for each, kept over all its runs. An interrupt, a lost shard
 * or a refusal ends it with what was found so far; before the first run a refusal is thrown as `ProblemError`.
 */
export async function findKnees(
  kneePlan: KneePlan,
  context: KneeContext,
): Promise<{ knee: Knee; directory: string; endedBy: StopCode | undefined }> {
  const { plan, shape, subscribers, durationMs, drainMs } = kneePlan;
  const startedAt = new Date().toISOString();
  const directory = resultDirectory(plan.fleet.resultsDir, startedAt, 'throughput', plan.target.name, 'knee');
  const rows: KneeRow[] = [];
  let settings: Record<string, unknown> = {};
  let endedBecause = '';
  let endedBy: StopCode | undefined;
  for (const each of subscribers) {
    const search = new KneeSearch(kneePlan, each, directory, context);
    try {
      await search.run();
    } catch (error) {
      if (!(error instanceof ProblemError) || (rows.length === 0 && search.isEmpty)) throw error;
      endedBecause = error.message;
    } finally {
      settings = { ...settings, ...search.settings };
      await search.stop();
    }
    if (!search.isEmpty) rows.push(search.row());
    endedBy = search.endedBy ?? (context.interrupt.aborted ? 'interrupted' : undefined);
    if (endedBy !== undefined) endedBecause ||= stopReasons[endedBy].title;
    if (endedBecause !== '') break;
  }
  const { name, protocol } = plan.target;
  const knee: Knee = {
    schema: resultVersion,
    tool: { name: 'ringside-bench', version },
    startedAt,
    target: { name, protocol, settings },
    client: plan.load.client,
    publish: String(plan.options.publish),
    ...shape,
    durationMs,
    drainMs,
    rows,
    sameness: samenessOf(rows),
    endedBecause,
  };
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'knee.json'), `${JSON.stringify(knee, null, 2)}\n`);
  return { knee, directory, endedBy };
}

/** Whether the knees of a search are the same in messages sent per second. */
export function samenessOf(rows: readonly Pick<KneeRow, 'messagesPerSecond'>[]): Knee['sameness'] {
  const found = rows.flatMap(({ messagesPerSecond }) => messagesPerSecond ?? []);
  if (found.length < 2) return null;
  const [lowest, highest] = [Math.min(...found), Math.max(...found)];
  return { isSame: highest <= lowest * (1 + allowedSpread), lowest, highest, allowedSpread };
}

/** The search at one number of subscribers. */
class KneeSearch {
  readonly #plan: KneePlan;
  readonly #subscribers: number;
  readonly #directory: string;
  readonly #context: KneeContext;
  readonly #target: HeldTarget;
  readonly #tries: KneeTry[] = [];
  readonly #facts: JamFacts[] = [];
  #recovery: KneeRow['recovery'] = null;
  #isOver = false;
  endedBy: StopCode | undefined;

  constructor(plan: KneePlan, subscribers: number, directory: string, context: KneeContext) {
    this.#plan = plan;
    this.#subscribers = subscribers;
    this.#directory = directory;
    this.#context = context;
    this.#target = new HeldTarget(plan.plan.target);
  }

  get isEmpty(): boolean {
    return this.#tries.length === 0;
  }

  get settings(): Record<string, unknown> {
    return this.#target.settings;
  }

  async run(): Promise<void> {
    const next = (): number | undefined => nextRate(this.#tried(), this.#plan.shape);
    for (let rate = next(); rate !== undefined; rate = next()) {
      await this.#try(rate, 'search');
      if (this.#isEnded()) return;
    }
    this.#isOver = true;
    const { keptUpTo, failedFrom } = edgesOf(this.#tried());
    if (keptUpTo !== null && failedFrom !== null && this.#votesAt(failedFrom) === 'jammed') {
      await this.#recover(failedFrom, Math.sqrt(keptUpTo * failedFrom) / 2);
    }
  }

  /** Jams the target, unless the last run did, and then runs at half the knee, as often as a rate that decides is run. */
  async #recover(jamRate: number, rate: number): Promise<void> {
    if (this.#tries.at(-1)?.vote !== 'jammed') await this.#try(jamRate, 'recovery');
    const { generation } = this.#target;
    for (let runs = 1; runs <= this.#plan.shape.repeat && !this.#isEnded(); runs++) {
      const { vote, p50 } = await this.#try(Number(rate.toPrecision(4)), 'recovery');
      this.#recovery = {
        ratePerSecond: Number(rate.toPrecision(4)),
        hasRecovered: vote === 'good',
        runs,
        p50,
        isSameProcess: generation === null ? null : generation === this.#target.generation,
      };
      if (vote === 'good') return;
    }
  }

  #isEnded(): boolean {
    return this.endedBy !== undefined || this.#context.interrupt.aborted;
  }

  async #try(ratePerSecond: number, purpose: KneeTry['purpose']): Promise<KneeTry> {
    const subscribers = this.#subscribers;
    const target = await this.#target.ready();
    this.#context.begins(subscribers, ratePerSecond);
    const planned = planOfRun(this.#plan, subscribers, ratePerSecond, { target, resultsDir: this.#directory });
    const { result, series, directory } = await run(planned, this.#context);
    const facts = factsOf(result, series);
    const isLowest = ratePerSecond === this.#plan.shape.minRate;
    const judged = judgeRun(result, facts, isLowest ? plateauOf([facts]) : this.#plateau());
    const { p50 = null, p99 = null } = result.metrics.deliveryFromIntended ?? {};
    const one: KneeTry = {
      ratePerSecond,
      purpose,
      ...judged,
      p50,
      p99,
      deliveriesPerSecond: (result.ledger.deliveriesPerSecond as number | undefined) ?? 0,
      drain: facts.drain,
      rig: result.verdict.rig,
      stop: result.stop.code,
      directory,
    };
    if (endings.includes(result.stop.code)) this.endedBy = result.stop.code;
    this.#tries.push(one);
    this.#facts.push(facts);
    this.#context.tried(subscribers, one);
    return one;
  }

  #plateau(): Plateau {
    const { minRate } = this.#plan.shape;
    return plateauOf(
      this.#facts.filter((_, at) => {
        const { ratePerSecond, vote } = this.#tries[at] as KneeTry;
        return ratePerSecond === minRate && vote === 'good';
      }),
    );
  }

  #tried(): Tried[] {
    const search = this.#tries.filter(({ purpose, stop }) => purpose === 'search' && !endings.includes(stop));
    const rates = new Set(search.map(({ ratePerSecond }) => ratePerSecond));
    return [...rates].map((ratePerSecond) => ({
      ratePerSecond,
      votes: search.filter((one) => one.ratePerSecond === ratePerSecond).map(({ vote }) => vote),
    }));
  }

  #votesAt(rate: number): ReturnType<typeof majority> {
    return majority(this.#tried().find(({ ratePerSecond }) => ratePerSecond === rate)?.votes ?? []);
  }

  row(): KneeRow {
    const { minRate } = this.#plan.shape;
    const { keptUpTo, failedFrom, interval } = edgesOf(this.#tried());
    const end = this.#end(keptUpTo, failedFrom);
    const knee = end === 'jammed' ? Math.sqrt((keptUpTo as number) * (failedFrom as number)) : null;
    const plateaus = this.#tries.filter(({ ratePerSecond, vote }) => ratePerSecond === minRate && vote === 'good');
    const p50s = plateaus.flatMap(({ p50 }) => p50 ?? []);
    return {
      subscribers: this.#subscribers,
      plateau: p50s.length > 0 ? median(p50s) : null,
      end,
      keptUpTo,
      failedFrom,
      kneePerSecond: knee,
      messagesPerSecond: knee === null ? null : knee * this.#subscribers,
      interval,
      why: failedFrom === null ? [] : this.#why(failedFrom),
      recovery: this.#recovery,
      tries: this.#tries,
    };
  }

  #end(keptUpTo: number | null, failedFrom: number | null): KneeRow['end'] {
    if (!this.#isOver) return 'ended';
    if (failedFrom === null) return keptUpTo === null ? 'ended' : 'highestKept';
    if (keptUpTo === null) return 'lowestFailed';
    return this.#votesAt(failedFrom) === 'jammed' ? 'jammed' : 'doubtful';
  }

  /** What the last run that decided that rate gave as evidence. */
  #why(rate: number): string[] {
    const vote = this.#votesAt(rate);
    const last = this.#tries.findLast((one) => one.ratePerSecond === rate && one.vote === vote);
    if (!last) return [];
    return vote === 'doubtful' ? last.doubts : last.signs.map(({ sign, text }) => `${sign}: ${text}`);
  }

  async stop(): Promise<void> {
    await this.#target.stop();
  }
}
