import { sumCounts } from '../../measure/samples/sample-sum.js';
import type { Samples } from '../../measure/samples/samples.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import { Deliveries } from '../books/deliveries.js';
import { none } from '../books/ledger.js';
import { planRamp } from '../roster/ramp.js';
import { createRoster } from '../roster/roster.js';
import type { AudienceContext, Role } from '../scenario.js';
import { draw } from '../traffic/schedule.js';
import { isHandedOver, leftLaterAtNs } from '../traffic/sends.js';
import { clientsUpTo, closedLoop, parseLimit, type StepsOptions, StepTimes, workerSlots } from './loop.js';

const tickMs = 5;
const never = 0x7fff_ffff;

/** Holds the clients of one worker, which come in steps and send this worker's part of the closed loop. */
export function stepsAudience(context: AudienceContext<StepsOptions>): Role {
  const { board, clientCount, nowNs, options, recorder, seed, sleep, stream } = context;
  const { concurrent, drainMs, limit, rampRatePerSecond, sample, steps } = options;
  const isEcho = options.mode === 'echo';
  /** The first step that a client is a member of, and the first after that. */
  const from = new Int32Array(clientCount).fill(never);
  const until = new Int32Array(clientCount).fill(never);
  const members = new Uint32Array(steps);
  const times = new StepTimes('delivery', recorder);
  let step = -1;
  let asked = 0;
  let open: readonly number[] = [];

  const isMember = (client: number, of: number): boolean =>
    of <= step && (from[client] as number) <= of && of < (until[client] as number);
  /** A client should receive all of the steps that it began with. */
  const book = new Deliveries(
    { ...context, options: { warmUp: 0 } },
    {
      isOwed: (client, sequence) => isMember(client, Math.floor(sequence / sample)),
      isTimed: (sequence) => (board.sentAtNs[sequence] as number) > 0,
      timed(sequence, { receivedAtNs }, index) {
        const us = ((receivedAtNs[index] as number) - (board.sentAtNs[sequence] as number)) / 1000;
        times.record(Math.floor(sequence / sample), us);
      },
    },
  );

  const senderOf = (sequence: number): number => {
    const drawn = Math.floor(draw(seed, 'sender', sequence, 0) * open.length);
    for (let n = 0; n < open.length; n++) {
      const client = open[(drawn + n) % open.length] as number;
      if (roster.isSubscribed(client)) return client;
    }
    return -1;
  };

  const loop = closedLoop({
    ...{ steps, sample, concurrent, board, nowNs, recorder },
    slots: workerSlots(context, options),
    limit: limit === undefined ? undefined : parseLimit(limit),
    sender: senderOf,
    send(client, sequence) {
      const { clients } = roster;
      const isSent = isEcho ? clients?.echo?.(client, sequence) : clients?.broadcast?.(client, stream, sequence);
      return isSent ?? false;
    },
    isHandedOver: (client) => isHandedOver(roster.clients, client),
    leftLaterAtNs: (client) => leftLaterAtNs(roster.clients, client),
  });
  const answer = (batch: DeliveryBatch): void => {
    for (let i = 0; i < batch.count; i++) loop.answer(batch, i);
  };
  const roster = createRoster(context, {
    deliveries: (batch) => (isEcho ? answer(batch) : book.take(batch)),
    acknowledgements: answer,
  });
  const ramp = planRamp(roster, {
    lost: (_client, cause) => {
      if (open.length > 0) roster.lostOne(cause);
    },
  });

  const begin = (): void => {
    step++;
    times.begin();
    book.expect((step + 1) * sample);
    for (let client = 0; client < clientCount; client++) {
      if (roster.isSubscribed(client)) {
        from[client] = Math.min(from[client] as number, step);
        members[step]!++;
        book.admit(client);
      } else if ((from[client] as number) < step) until[client] = Math.min(until[client] as number, step);
    }
  };

  const sendAll = async (startAtNs: number, signal: AbortSignal): Promise<void> => {
    open = Array.from({ length: clientCount }, (_, client) => client).filter((client) => roster.isSubscribed(client));
    await sleep((startAtNs - nowNs()) / 1e6, signal);
    if (signal.aborted) return;
    loop.begin();
    while (!signal.aborted && !loop.isIdle) {
      await sleep(tickMs, signal);
      loop.giveUpBefore(nowNs() - drainMs * 1e6);
    }
    if (signal.aborted) loop.end();
  };

  return {
    async stage(name, startAtNs, signal, round = 0) {
      if (name === 'ramp') {
        asked = clientsUpTo(context, round + 1, steps);
        await ramp.run(startAtNs, { ratePerSecond: rampRatePerSecond, upTo: asked }, signal);
        // The step begins here and not at this shard's first send: another shard may by then have sent for a while.
        if (!signal.aborted) begin();
      }
      if (name === 'send') await sendAll(startAtNs, signal);
      if (name !== 'drain') return;
      const endNs = startAtNs + drainMs * 1e6;
      const haveAll = (): boolean => isEcho || book.haveAll((client) => roster.isSubscribed(client));
      await roster.waitUntil((nowNs) => nowNs >= endNs || (loop.isIdle && haveAll()), signal);
      book.close();
    },
    progress() {
      const { sent, answered, held } = loop;
      return { ...ramp.progress(), sent, answered, received: isEcho ? answered : book.received, ...held };
    },
    report() {
      const { counts, causes, timeline, ramp: samples } = ramp.report();
      const [counted, looped] = [book.report(), loop.report()];
      const { duplicate, late, stray, unowed = 0, clockFaults, received } = counted.counts;
      const { sent, unanswered } = looped.series;
      const { delivery, deliveryAtLeast } = counted.samples as Record<'delivery' | 'deliveryAtLeast', Samples>;
      const { owed = none, delivered = none, missing = none } = counted.series;
      return {
        counts: {
          ...counts,
          ...sumCounts([{ duplicate, late, stray: stray + unowed, clockFaults }, looped.counts]),
          received: isEcho ? loop.answered : received,
          asked,
          subscribers: Math.max(...members),
        },
        causes,
        timeline,
        samples: { ...samples, ...looped.samples, ...times.finish(), delivery, deliveryAtLeast },
        series: {
          ...{ ...looped.series, members },
          ...(isEcho
            ? { owed: sent, delivered: sent.map((each, n) => each - (unanswered[n] as number)), missing: unanswered }
            : { owed, delivered, missing }),
        },
      };
    },
    dispose: () => roster.dispose(),
  };
}
