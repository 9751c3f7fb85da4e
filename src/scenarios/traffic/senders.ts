import { blocksOf } from '../../measure/samples/blocks.js';
import { sumCounts } from '../../measure/samples/sample-sum.js';
import type { Samples } from '../../measure/samples/samples.js';
import type { Cause } from '../../protocols/protocol.js';
import { none, notZero, total } from '../books/ledger.js';
import type { Slices } from '../books/marks/declarations.js';
import type { Membership } from '../books/marks/judge.js';
import { planRamp } from '../roster/ramp.js';
import { createRoster } from '../roster/roster.js';
import { planVisits, type VisitOptions } from '../roster/visits.js';
import type { AudienceContext, Role } from '../scenario.js';
import { lastsMs } from './schedule.js';
import { mostProofs, offsetOf, type SendLoad, sendsEach } from './send-schedule.js';
import { declareSends, type Say, type Sends } from './sends.js';

interface SendersOptions extends SendLoad, VisitOptions {
  rampRatePerSecond: number;
}

type Family = 'delivery' | 'answer';

type SenderFigure =
  | ('connect' | 'connectAtLeast' | 'subscribe' | 'subscribeAtLeast' | 'sendLag')
  | `${Family}${'' | 'FromIntended' | 'AtLeast'}`;

/** What a scenario calls the figures that it has. */
export type SenderFigures = Readonly<Record<string, SenderFigure>>;

/** Sends of clients that follow answers. */
export interface SenderLoop {
  /** Begins the sends of a client, at an instant or as the loop begins. */
  begin(client: number, atNs?: number): void;
  answered(client: number, row: number): void;
  run(sends: Sends, startAtNs: number, signal: AbortSignal): Promise<void>;
}

/** What the clients of a scenario do. */
export interface SenderPlan {
  stage: string;
  slices: Slices;
  figures: SenderFigures;
  say: Say;
  /** The stream of a client, whose subscribers are a group. Without it a first answer proves a client. */
  streamOf?(client: number): string;
  loop?: SenderLoop | undefined;
}

/** Holds the clients of one worker, and its visitors while they are there, and has them send as planned. */
export function senders(context: AudienceContext<SendersOptions>, plan: SenderPlan): Role {
  const { clientCount, nowNs, options, slots, totalClients } = context;
  const { drainMs, durationMs, rampRatePerSecond, ratePerSecond, warmUp } = options;
  const { loop, streamOf } = plan;
  const memberships: (Membership | undefined)[] = [];
  const awaited = new Int32Array(clientCount);
  let members: number | undefined;
  let sent = 0;
  let received = 0;

  const roster = createRoster(context, {
    prove(clients, client) {
      if (streamOf) clients.subscribe(client, streamOf(client));
      else proofs.ask(client);
    },
    proveAgain: (_clients, client) => proofs.askAgain(client),
    deliveries: (batch) => sends.book.take(batch),
    sends: (batch) => sends.take(batch),
  });
  const sends: Sends = declareSends(context, roster, plan.slices, plan.say, {
    sent(client) {
      sent++;
      awaited[client]!++;
    },
    arrived(client, row, isAnswer) {
      if (isAnswer && proofs.take(row)) return roster.subscribed(client);
      received++;
      if (!isAnswer) return;
      awaited[client]!--;
      loop?.answered(client, row);
    },
  });
  const proofs = new Proofs(context, sends);

  /** A client that is cut once the load has begun stays owed what the others send. */
  const lost = (client: number, cause: Cause): void => {
    const membership = memberships[client];
    if (members !== undefined) roster.lostOne(cause);
    else if (membership !== undefined) sends.book.leave(membership, nowNs());
  };

  const begin = (client: number, fromNs?: number, untilNs?: number): void => {
    if (loop) {
      loop.begin(client, fromNs);
      return;
    }
    const owed = streamOf && { group: streamOf(client), isToAll: false };
    const schedule = { ratePerSecond, count: sendsEach(options), warmUp, fromNs, untilNs };
    sends.every(client, { ...schedule, owed, isAnswered: owed === undefined });
  };

  const ramp = planRamp(roster, {
    subscribed(client) {
      const stream = streamOf?.(client);
      if (stream !== undefined)
        memberships[client] = sends.book.join(client, stream, roster.sinceNs[client] as number, nowNs());
    },
    lost,
  });
  const visits = planVisits(roster, context, {
    arrived: (client, toNs) => begin(client, nowNs(), toNs),
    cut: lost,
    hasAll: (client) => awaited[client] === 0,
  });
  const tick = (): void => visits.tick();

  const sendAll = async (startAtNs: number, signal: AbortSignal): Promise<void> => {
    members = roster.there;
    // Slots count from the start of the warm-up.
    sends.startAt(startAtNs, slots ? 0 : lastsMs(warmUp, ratePerSecond));
    roster.hasClients('send by');
    for (let client = 0; client < visits.staying; client++) begin(client);
    visits.begin(startAtNs);
    const sendingMs = loop ? durationMs : lastsMs(sendsEach(options), ratePerSecond);
    const endNs = visits.isPlanned ? startAtNs + sendingMs * 1e6 : startAtNs;
    let isLooping = loop !== undefined;
    const looped = loop?.run(sends, startAtNs, signal).finally(() => {
      isLooping = false;
    });
    await roster.waitUntil((nowNs) => nowNs >= endNs && !isLooping && sends.areOver, signal, tick);
    await Promise.all([looped, sends.settled(signal)]);
  };

  return {
    async stage(name, startAtNs, signal) {
      if (name === 'ramp')
        await ramp.run(startAtNs, { ratePerSecond: rampRatePerSecond, upTo: visits.staying }, signal);
      if (name === plan.stage) await sendAll(startAtNs, signal);
      if (name !== 'drain') return;
      const endNs = startAtNs + drainMs * 1e6;
      await roster.waitUntil((nowNs) => nowNs >= endNs || sends.book.isComplete(), signal, tick);
      sends.close();
    },
    progress: () => ({ ...ramp.progress(), sent, received, ...visits.progress() }),
    bins: () => sends.book.binsOf(streamOf ? 'delivery' : 'answer'),
    learn: (others) => sends.book.learn(others),
    report() {
      const { counts, causes, timeline, ramp: ramped } = ramp.report();
      const { counts: all, lastsMs: lasted, ...rest } = sends.report();
      // A loop has no schedule that it could miss.
      const { offeredPerSecond, ...ofSends } = all;
      const samples: Record<string, Samples> = { ...ramped, ...rest.samples };
      const series: Record<string, Uint32Array> = { ...rest.series };
      const { came = none, missing = none } = series;
      const figures = Object.entries(plan.figures);
      const blocks = figures.flatMap(([name, of]) => {
        const known = series[blocksOf(of)];
        return known ? [[blocksOf(name), known] as const] : [];
      });
      return visits.reportWith({
        counts: {
          ...sumCounts([counts, ofSends]),
          ...(!loop && { offeredPerSecond }),
          ...{ ...proofs.counts, received },
          subscribers: (members ?? roster.there) + visits.arrived,
        },
        causes: { ...causes, unsent: notZero(rest.causes.unsent) },
        timeline,
        longestMs: { arrivals: lasted(loop ? 0 : lastsMs(1, totalClients * ratePerSecond)) },
        samples: Object.fromEntries(figures.map(([name, of]) => [name, samples[of]!])),
        series: { came, missing, ...Object.fromEntries(blocks) },
      });
    },
    dispose() {
      sends.dispose();
      roster.dispose();
    },
  };
}

/** Tracks the first answers that prove the clients of one worker, which are asked again. */
class Proofs {
  readonly #asked: Uint8Array;
  readonly #askedNs: Float64Array;
  readonly #rows = new Set<number>();

  constructor(
    private readonly context: Pick<AudienceContext<unknown>, 'clientCount' | 'load' | 'nowNs'>,
    private readonly sends: Sends,
  ) {
    this.#asked = new Uint8Array(context.clientCount);
    this.#askedNs = new Float64Array(context.clientCount);
  }

  ask(client: number): void {
    this.#askedNs[client] = this.context.nowNs();
    const row = this.sends.now(client, { isAnswered: true, isUnmeasured: true });
    if (row === undefined) return;
    this.#asked[client]!++;
    this.#rows.add(row);
  }

  askAgain(client: number): void {
    const { nowNs, load } = this.context;
    const asked = this.#asked[client] as number;
    const dueNs = (this.#askedNs[client] as number) + (load.subscribeTimeoutMs * 1e6) / mostProofs;
    if (asked > 0 && asked < mostProofs && nowNs() >= dueNs) this.ask(client);
  }

  take(row: number): boolean {
    return this.#rows.delete(row);
  }

  get counts(): Record<'proofs' | 'proofsLost', number> {
    return { proofs: total(this.#asked), proofsLost: this.#rows.size };
  }
}

interface LoopOptions {
  ratePerSecond: number;
  durationMs: number;
  drainMs: number;
}

const loopTickMs = 1;

/** Has each client of a worker send again once its last echo came, or once that stays away for the time of a drain. */
export function echoLoop(context: AudienceContext<LoopOptions>): SenderLoop {
  const { clientCount, firstClient, nowNs, options, seed, sleep } = context;
  const dueNs = new Float64Array(clientCount).fill(Number.POSITIVE_INFINITY);
  /** Per client: the row of the send whose echo it awaits; -1 for none. */
  const awaited = new Int32Array(clientCount).fill(-1);
  let running: Sends | undefined;

  const send = (client: number): void => {
    awaited[client] = running?.now(client, { isAnswered: true }) ?? -1;
    dueNs[client] = nowNs() + options.drainMs * 1e6;
  };

  return {
    /** Plans the first send: at once, or at the client's own offset in the first period. */
    begin(client, atNs) {
      // All first sends lie within the duration, however slow the rate.
      const periodNs = Math.min(1e9 / options.ratePerSecond, options.durationMs * 1e6);
      dueNs[client] = atNs ?? nowNs() + offsetOf(seed, firstClient + client) * periodNs;
    },
    async run(sends, startAtNs, signal) {
      const endNs = startAtNs + options.durationMs * 1e6;
      running = sends;
      while (!signal.aborted && nowNs() < endNs) {
        const atNs = nowNs();
        dueNs.forEach((due, client) => {
          if (due > atNs) return;
          if ((awaited[client] as number) >= 0) sends.book.abandon(awaited[client] as number);
          send(client);
        });
        await sleep(loopTickMs, signal);
      }
      running = undefined;
    },
    answered(client, row) {
      if (row === awaited[client]) send(client);
    },
  };
}
