import type { Recorder } from '../../measure/samples/recorder.js';
import { notZero, total } from '../books/ledger.js';
import type { FlowHooks } from '../flow/hooks.js';
import { flowOptions } from '../flow/options.js';
import { lengthMs, stagesOf } from '../roster/stages.js';
import type { AudienceContext, Role, RoleReport } from '../scenario.js';
import { BucketTimes, PlayerBuckets } from './buckets.js';
import type { GameOptions } from './options.js';

const lookMs = 50;

/** Figures of the game by their names in flows. */
const figures = {
  ...{ ping: 'answer', pingAtLeast: 'answerAtLeast', delivery: 'delivery', deliveryAtLeast: 'deliveryAtLeast' },
  ...{ deliveryFromIntended: 'deliveryFromIntended', publishLag: 'sendLag', matchmaking: 'http', arrival: 'arrival' },
};

/** Counts of flows that the ledger of the game has, too. */
const same = [
  ...['owed', 'delivered', 'lost', 'unclear', 'unlearned', 'duplicate', 'late', 'stray', 'untimed', 'clockFaults'],
  ...['answered', 'unanswered', 'attempted'],
];

/** Keeps what becomes of one worker's players. */
class Players {
  readonly buckets: PlayerBuckets;
  readonly #context: AudienceContext<GameOptions>;
  readonly #times: BucketTimes;
  readonly #arrivalLag: Recorder;
  /** Per client: 1 once its game has started. */
  readonly #hasStarted: Uint8Array;
  readonly #counts = { begun: 0, started: 0 };
  readonly #causes: Record<'arrive' | 'close', Record<string, number>> = { arrive: {}, close: {} };
  /** Players at the end of each bucket. */
  readonly #playingAt: Uint32Array;
  #aliveAtNs = Number.POSITIVE_INFINITY;

  constructor(context: AudienceContext<GameOptions>) {
    const { clientCount, marks: table, options, recorder } = context;
    if (table === undefined) throw new Error('no table of declared sends: the pool makes one by `mostMarks`');
    this.#context = context;
    this.buckets = new PlayerBuckets(options.stages);
    this.#times = new BucketTimes({ ...context, buckets: this.buckets, table });
    this.#arrivalLag = recorder();
    this.#hasStarted = new Uint8Array(clientCount);
    this.#playingAt = new Uint32Array(this.buckets.count);
  }

  readonly hooks: FlowHooks = {
    begun: (lateNs) => {
      this.#counts.begun++;
      this.#arrivalLag.record(Math.max(0, lateNs) / 1000);
    },
    joined: (client) => {
      // The first ping follows.
      if (this.#counts.started++ === 0) this.#aliveAtNs = this.#context.nowNs();
      this.#hasStarted[client] = 1;
    },
    left: (client, cause) => {
      const causes = this.#causes[this.#hasStarted[client] === 1 ? 'close' : 'arrive'];
      causes[cause] = (causes[cause] ?? 0) + 1;
    },
    arrived: (_client, _row, isAnswer, batch, index) => {
      const atNs = batch.receivedAtNs[index] as number;
      if (isAnswer) this.#aliveAtNs = Math.max(this.#aliveAtNs, atNs);
      else this.#times.heard(atNs);
    },
    timed: (...arrival) => this.#times.timed(...arrival),
  };

  get playing(): number {
    return this.#counts.started - total(this.#causes.close);
  }

  /** Returns since when the server has answered no ping, in nanoseconds; negative before the first can be sent. */
  silentNs(nowNs: number): number {
    return nowNs - this.#aliveAtNs;
  }

  look(nowNs: number): void {
    this.#playingAt[this.buckets.at(nowNs)] = this.playing;
  }

  report() {
    const { clientCount } = this.#context;
    const { begun, started } = this.#counts;
    const { arrive, close } = this.#causes;
    const [arrivalsFailed, playersCut] = [total(arrive), total(close)];
    const { counts, samples, series } = this.#times.report();
    return {
      counts: {
        ...counts,
        ...{
          asked: clientCount,
          arrivals: clientCount,
          arrivalsFailed,
          arrived: started,
          playersCut,
          playersStayed: started - playersCut,
        },
        arrivalsUnready: begun - arrivalsFailed - started,
        arrivalsNotDue: clientCount - begun,
        subscribers: started,
      },
      causes: { arrive, close },
      samples: { ...samples, arrivalLag: this.#arrivalLag.finish() },
      series: { ...series, playingAt: this.#playingAt },
    };
  }
}

/** Holds the players of one worker, who live by the flow of the game, until the end or until the server is dead. */
class GameRole implements Role {
  readonly #context: AudienceContext<GameOptions>;
  readonly #players: Players;
  readonly #flow: Role;
  #isDead = false;

  constructor(context: AudienceContext<GameOptions>, players: Players, flow: Role) {
    this.#context = context;
    this.#players = players;
    this.#flow = flow;
  }

  async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    if (name === 'play') await this.#play(startAtNs, signal);
    else await this.#flow.stage(name, startAtNs, signal);
  }

  async #play(startAtNs: number, signal: AbortSignal): Promise<void> {
    const { nowNs, options, sleep } = this.#context;
    const endNs = startAtNs + lengthMs(stagesOf(options.stages)) * 1e6;
    const dead = new AbortController();
    const over = AbortSignal.any([signal, dead.signal]);
    this.#players.buckets.begin(startAtNs);
    const lived = this.#flow.stage('live', startAtNs, over);
    // Goes on when all players were cut, until it is known that the server is dead.
    while (!over.aborted && nowNs() < endNs) {
      await sleep(lookMs, over);
      this.#players.look(nowNs());
      if (this.#players.silentNs(nowNs()) > options.deadAfterMs * 1e6) dead.abort();
    }
    this.#isDead = dead.signal.aborted;
    await lived;
  }

  progress(): Record<string, number> {
    return { ...this.#flow.progress(), subscribers: this.#players.playing };
  }

  learn(...sends: Parameters<NonNullable<Role['learn']>>): void {
    this.#flow.learn?.(...sends);
  }

  engines() {
    return this.#flow.engines?.() ?? [];
  }

  report(): RoleReport {
    const flow = this.#flow.report();
    const { counts, causes, samples, series } = this.#players.report();
    const of = (name: string): number => flow.counts[name] ?? 0;
    return {
      counts: {
        ...Object.fromEntries(same.map((name) => [name, of(name)])),
        ...counts,
        ...{ opened: of('connected'), typed: of('owing'), pings: of('answersOwed') },
        received: of('delivered') + of('answered'),
        unsent: of('unsent') - counts.pingsUnsent,
        deadWorkers: this.#isDead ? 1 : 0,
      },
      causes: { ...causes, unsent: notZero(flow.causes.unsent ?? {}) },
      timeline: flow.timeline,
      samples: {
        ...Object.fromEntries(
          Object.entries(figures).flatMap(([name, of]) => (flow.samples[of] ? [[name, flow.samples[of]]] : [])),
        ),
        ...samples,
      },
      series,
    };
  }

  dispose(): void {
    this.#flow.dispose?.();
  }
}

/** Makes the role of one worker's players. */
export async function gameRole(context: AudienceContext<GameOptions>): Promise<Role> {
  const players = new Players(context);
  const { drainMs, stages } = context.options;
  const flow = await context.flow(flowOptions.parse({ stages, drainMs }), players.hooks);
  return new GameRole(context, players, flow);
}
