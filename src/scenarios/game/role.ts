import { z } from 'zod';
import { type MarkTable, markKind } from '../../measure/samples/mark-table.js';
import { minPayloadBytes } from '../../measure/samples/payload.js';
import { type ArrivalStamps, atLeastUs, type Recorder } from '../../measure/samples/recorder.js';
import { shareOf } from '../../measure/share.js';
import { notZero, total } from '../books/ledger.js';
import { flowOptions } from '../flow/options.js';
import { bytesOption, countOption, drainMs, durationOption, rateOption } from '../options.js';
import type { AudienceContext, Role } from '../scenario.js';
import { ofStep } from '../steps/loop.js';
import { arrivingOf, lengthMs, stagesOf, stagesOfClients, visitsOf } from '../traffic/schedule.js';
import { marksOfSends } from '../traffic/send-schedule.js';

const keysPerWord = 5;

export const gameOptions = z.strictObject({
  stages: stagesOfClients('clients that arrive while others play: DURATION:CLIENTS, …').default('250s:1000,10s:1000'),
  wordsPerMinute: countOption('wpm', 60, [1, 1200], 'words per minute of each player; a word has five keys'),
  pingsPerSecond: rateOption('ping-rate', 1, 100, 'pings per second of each player'),
  payloadBytes: bytesOption('payload', minPayloadBytes, [minPayloadBytes, 10_000], 'data with each key and ping'),
  deadAfterMs: durationOption('dead-after', 10_000, [8000, 600_000], 'a server with no answer for so long is dead'),
  drainMs: drainMs(5000, 'longest wait after the last key; later deliveries count as lost'),
});

export type GameOptions = z.output<typeof gameOptions>;

export function keysPerSecond({ wordsPerMinute }: Pick<GameOptions, 'wordsPerMinute'>): number {
  return (wordsPerMinute * keysPerWord) / 60;
}

/** Returns the largest number of keys and of pings that so many players send, by default all: the first to come. */
export function mostSends(options: GameOptions, players = arrivingOf(options)): { keys: number; pings: number } {
  const stages = stagesOf(options.stages);
  const visits = visitsOf(stages).slice(0, players);
  const sentAt = (perSecond: number): number =>
    visits.reduce((sum, { fromMs }) => sum + Math.ceil(((lengthMs(stages) - fromMs) * perSecond) / 1000) + 1, 0);
  return { keys: sentAt(keysPerSecond(options)), pings: sentAt(options.pingsPerSecond) };
}

/** Returns the most rows that the players of one of so many shards take in a table of sends. */
export function rowsOf(options: GameOptions, shards: number): number {
  const { keys, pings } = mostSends(options, shareOf(arrivingOf(options), 0, shards));
  return marksOfSends(arrivingOf(options), 1, shards) + keys + pings;
}

const lookMs = 50;

const figures = {
  ...{ ping: 'answer', pingAtLeast: 'answerAtLeast', delivery: 'delivery', deliveryAtLeast: 'deliveryAtLeast' },
  ...{ deliveryFromIntended: 'deliveryFromIntended', publishLag: 'sendLag', matchmaking: 'http', arrival: 'arrival' },
};

const same = [
  ...['owed', 'delivered', 'lost', 'unclear', 'unlearned', 'duplicate', 'late', 'stray', 'untimed', 'clockFaults'],
  ...['answered', 'unanswered', 'attempted'],
];

/** Makes the role of one worker's players, who live by the flow of the game until the server is dead. */
export async function gameRole(context: AudienceContext<GameOptions>): Promise<Role> {
  const { clientCount, marks: table, nowNs, options, recorder, sleep } = context;
  if (table === undefined) throw new Error('no table of declared sends: the pool makes one by `mostMarks`');
  const buckets = new PlayerBuckets(options.stages);
  const times = bucketTimes({ ...context, buckets, table });
  const arrivalLag = recorder();
  /** Per client: 1 once its game has started. */
  const hasStarted = new Uint8Array(clientCount);
  const count = { begun: 0, started: 0 };
  const causes: Record<'arrive' | 'close', Record<string, number>> = { arrive: {}, close: {} };
  const playingAt = new Uint32Array(buckets.count);
  const aliveAtNs = Float64Array.of(Number.POSITIVE_INFINITY);
  let isDead = false;
  const playing = (): number => count.started - total(causes.close);
  const { drainMs, stages } = options;
  const flow = await context.flow(flowOptions.parse({ stages, drainMs }), {
    begun(lateNs) {
      count.begun++;
      arrivalLag.record(Math.max(0, lateNs) / 1000);
    },
    joined(client) {
      // The first ping follows.
      if (count.started++ === 0) aliveAtNs[0] = nowNs();
      hasStarted[client] = 1;
    },
    left(client, cause) {
      const of = causes[hasStarted[client] === 1 ? 'close' : 'arrive'];
      of[cause] = (of[cause] ?? 0) + 1;
    },
    arrived(_client, _row, isAnswer, batch, index) {
      const atNs = batch.receivedAtNs[index] as number;
      if (isAnswer) aliveAtNs[0] = Math.max(aliveAtNs[0] as number, atNs);
      else times.heard(atNs);
    },
    timed: (...arrival) => times.timed(...arrival),
  });

  const play = async (startAtNs: number, signal: AbortSignal): Promise<void> => {
    const endNs = startAtNs + lengthMs(stagesOf(stages)) * 1e6;
    const dead = new AbortController();
    const over = AbortSignal.any([signal, dead.signal]);
    buckets.begin(startAtNs);
    const lived = flow.stage('live', startAtNs, over);
    // Goes on when all players were cut, until it is known that the server is dead.
    while (!over.aborted && nowNs() < endNs) {
      await sleep(lookMs, over);
      playingAt[buckets.at(nowNs())] = playing();
      if (nowNs() - (aliveAtNs[0] as number) > options.deadAfterMs * 1e6) dead.abort();
    }
    isDead = dead.signal.aborted;
    await lived;
  };

  return {
    stage: (name, startAtNs, signal) =>
      name === 'play' ? play(startAtNs, signal) : flow.stage(name, startAtNs, signal),
    progress: () => ({ ...flow.progress(), subscribers: playing() }),
    learn: (...sends) => flow.learn?.(...sends),
    engines: () => flow.engines?.() ?? [],
    report() {
      const lived = flow.report();
      const of = (name: string): number => lived.counts[name] ?? 0;
      const { counts, samples, series } = times.report();
      const { begun, started } = count;
      const [arrivalsFailed, playersCut] = [total(causes.arrive), total(causes.close)];
      return {
        counts: {
          ...Object.fromEntries(same.map((name) => [name, of(name)])),
          ...counts,
          ...{ asked: clientCount, arrivals: clientCount, arrived: started, subscribers: started },
          ...{ arrivalsFailed, playersCut, playersStayed: started - playersCut },
          ...{ arrivalsUnready: begun - arrivalsFailed - started, arrivalsNotDue: clientCount - begun },
          ...{ opened: of('connected'), typed: of('owing'), pings: of('answersOwed') },
          received: of('delivered') + of('answered'),
          unsent: of('unsent') - counts.pingsUnsent,
          deadWorkers: isDead ? 1 : 0,
        },
        causes: { ...causes, unsent: notZero(lived.causes.unsent ?? {}) },
        timeline: lived.timeline,
        samples: {
          ...Object.fromEntries(
            Object.entries(figures).flatMap(([name, of]) => (lived.samples[of] ? [[name, lived.samples[of]]] : [])),
          ),
          ...{ ...samples, arrivalLag: arrivalLag.finish() },
        },
        series: { ...series, playingAt },
      };
    },
    dispose: () => flow.dispose?.(),
  };
}

/** Assigns instants of a run to buckets of 100 clients, by the plan alone. */
export class PlayerBuckets {
  readonly count: number;
  readonly #lengthMs: number;
  readonly #arrivalsMs: readonly number[];
  #startAtNs = 0;

  constructor(stages: string) {
    this.#lengthMs = lengthMs(stagesOf(stages));
    this.#arrivalsMs = visitsOf(stagesOf(stages)).map(({ fromMs }) => fromMs);
    this.count = Math.ceil(this.#arrivalsMs.length / 100);
  }

  begin(startAtNs: number): void {
    this.#startAtNs = startAtNs;
  }

  /** Returns when the clients of a bucket, counted from 0, arrive: until those of the next one do, or until the end. */
  spanMs(hundred: number): [fromMs: number, toMs: number] {
    const firstMs = (of: number): number => this.#arrivalsMs[of * 100] ?? this.#lengthMs;
    return [firstMs(hundred), firstMs(hundred + 1)];
  }

  /** Returns the bucket, counted from 0, that was planned to arrive at that instant. Allocates nothing. */
  at(ns: number): number {
    const ms = (ns - this.#startAtNs) / 1e6;
    let [low, high] = [0, this.#arrivalsMs.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#arrivalsMs[middle] as number) <= ms) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, Math.ceil(low / 100) - 1);
  }
}

type BucketShape = Pick<AudienceContext<unknown>, 'clientCount' | 'firstClient' | 'recorder'> & {
  buckets: PlayerBuckets;
  table: MarkTable;
};

/** Keeps figures of one worker's players by the bucket of clients in which each key or ping was sent. */
export function bucketTimes({ buckets, clientCount, firstClient, recorder, table }: BucketShape) {
  const each = (): Recorder[] => Array.from({ length: buckets.count }, recorder);
  const times: Record<'ping' | 'pingAtLeast' | 'delivery', readonly Recorder[]> = {
    ...{ ping: each(), pingAtLeast: each(), delivery: each() },
  };
  const heardAt = new Uint32Array(buckets.count);
  const answeredAt = new Uint32Array(buckets.count);
  return {
    heard(atNs: number): void {
      heardAt[buckets.at(atNs)]!++;
    },
    /** Takes an arrival with its send. Hot path: allocates nothing. */
    timed(family: 'delivery' | 'answer', row: number, batch: ArrivalStamps, index: number): void {
      const sentAtNs = table.sentAtNs[row] as number;
      const bucket = buckets.at(sentAtNs);
      const us = ((batch.receivedAtNs[index] as number) - sentAtNs) / 1000;
      if (family === 'delivery') {
        times.delivery[bucket]!.record(us);
        return;
      }
      answeredAt[bucket]!++;
      times.ping[bucket]!.record(us);
      const leastUs = atLeastUs(batch.notBeforeNs[index] as number, table.writtenAtNs[row] as number);
      times.pingAtLeast[bucket]!.record(leastUs);
    },
    report() {
      const pingsAt = new Uint32Array(buckets.count);
      let pingsUnsent = 0;
      for (let row = 0; row < table.count; row++) {
        const client = (table.sender[row] as number) - firstClient;
        const isPing = ((table.kind[row] as number) & markKind.answered) !== 0;
        if (!isPing || client < 0 || client >= clientCount) continue;
        const sentAtNs = table.sentAtNs[row] as number;
        if (sentAtNs === 0) pingsUnsent++;
        else pingsAt[buckets.at(sentAtNs)]!++;
      }
      const samples = Object.entries(times).flatMap(([metric, recorders]) =>
        recorders.map((recorder, bucket) => [ofStep(metric, bucket + 1), recorder.finish()] as const),
      );
      return {
        counts: { pingsUnsent },
        series: { pingsAt, answeredAt, heardAt },
        samples: Object.fromEntries(samples),
      };
    },
  };
}
