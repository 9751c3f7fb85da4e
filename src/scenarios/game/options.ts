import { z } from 'zod';
import { minPayloadBytes } from '../../measure/samples/payload.js';
import { shareOf } from '../../measure/share.js';
import { bytesOption, countOption, drainMs, durationOption, rateOption } from '../options.js';
import { arrivingOf, lengthMs, stagesOf, stagesOfClients, visitsOf } from '../roster/stages.js';
import { marksOfSends } from '../traffic/send-schedule.js';

const keysPerWord = 5;

export const gameOptions = z.strictObject({
  stages: stagesOfClients('clients that arrive while others play: DURATION:CLIENTS, …').default('250s:1000,10s:1000'),
  wordsPerMinute: countOption('wpm', 60, [1, 1200], 'words per minute of each player; a word has five keys'),
  pingsPerSecond: rateOption('ping-rate', 1, 100, 'pings per second of each player'),
  payloadBytes: bytesOption(
    'payload',
    minPayloadBytes,
    [minPayloadBytes, 10_000],
    'data that travels with each key and ping',
  ),
  deadAfterMs: durationOption(
    'dead-after',
    10_000,
    [8000, 600_000],
    'a server that answers no ping for so long is dead',
  ),
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
