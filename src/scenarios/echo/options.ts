import { z } from 'zod';
import {
  choiceOption,
  countOption,
  drainMs,
  durationOption,
  payloadBytesOf,
  rampRatePerSecond,
  rateOption,
  warmUp,
} from '../options.js';
import { lastsMs } from '../pace.js';
import { arrivingOf, beyondSchedule, stagesOfClients } from '../roster/stages.js';
import { marksOfSends, mostProofs, sendsIn } from '../traffic/send-schedule.js';

/** Ways in which a client comes to its next send. */
export const loops = ['open', 'closed'] as const;

export const echoOptions = z.strictObject({
  clients: countOption('clients', 1000, [1, 10_000_000], 'clients that send, all shards together'),
  loop: choiceOption('loop', loops, 'open', 'open: send on a schedule; closed: send after each echo'),
  ratePerSecond: rateOption('rate', 1, 1000, 'sends per second of each client; closed: only the first is scheduled'),
  durationMs: durationOption(
    'duration',
    10_000,
    [1, 3_600_000],
    'length of the measured schedule, or of the closed loop',
  ),
  payloadBytes: payloadBytesOf('the data in each message'),
  rampRatePerSecond,
  stages: stagesOfClients('visitors beside the clients, who come, send and go: DURATION:CLIENTS, …').optional(),
  warmUp: warmUp(0, 'sends of each client', 10_000),
  drainMs: drainMs(5000, 'longest wait for an echo; later ones count as lost', 1),
});

export type EchoOptions = z.output<typeof echoOptions>;

/** Sends of each client on an open schedule, warm-up included. */
export function echoesEach(options: EchoOptions): number {
  return options.warmUp + sendsIn(options);
}

/** Bounds of the table of a closed loop, which sends as often as it is answered. */
const closedMarks = { perSecond: 100_000, most: 2 ** 24 } as const;

/** Returns the most sends of a shard, for the size of its table. A closed loop ends when it is full. */
export function mostEchoes(options: EchoOptions, shards: number): number {
  const clients = options.clients + arrivingOf(options);
  if (options.loop === 'open') return marksOfSends(clients, echoesEach(options) + mostProofs, shards);
  const looped = Math.min(closedMarks.most, (closedMarks.perSecond * options.durationMs) / 1000);
  return marksOfSends(clients, mostProofs, shards) + Math.ceil(looped);
}

/**
 * Returns the measured time of a run, in milliseconds: all periods of each client's schedule, or the duration of a
 * closed loop.
 */
export function scheduleMs({ loop, ...options }: Pick<EchoOptions, 'loop' | 'ratePerSecond' | 'durationMs'>): number {
  return loop === 'open' ? (sendsIn(options) * 1000) / options.ratePerSecond : options.durationMs;
}

/** Returns how long clients send, in milliseconds: all periods of the open schedule, or the time of the closed loop. */
export function sendingMs(options: EchoOptions): number {
  return options.loop === 'open' ? lastsMs(echoesEach(options), options.ratePerSecond) : options.durationMs;
}

/** Returns the reasons why these options cannot go together, in words. */
export function contradictionsOf(options: EchoOptions): string[] {
  const { loop, warmUp, stages } = options;
  return [
    ...(loop === 'closed' && warmUp > 0 ? [`--warm-up: expected 0 with --loop closed, received ${warmUp}`] : []),
    ...beyondSchedule(stages, sendingMs(options), '--duration'),
  ];
}
