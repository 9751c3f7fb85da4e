import { z } from 'zod';
import { payloadBytesOf } from '../broadcasts/options.js';
import { rampRatePerSecond } from '../ramp-rate.js';
import { sendsIn } from '../sends/schedule.js';

/** What one whisper run is asked to do. */
export const whisperOptions = z.strictObject({
  clients: z.number().int().min(2).max(10_000_000).default(1000).meta({
    flag: 'clients',
    unit: 'count',
    help: 'clients that whisper to each other, all shards together',
  }),
  room: z.number().int().min(2).max(10_000).default(10).meta({
    flag: 'room',
    unit: 'count',
    help: 'clients of a room, by their number; each whisper reaches all others in the room, and the last room has what is left',
  }),
  ratePerSecond: z.number().positive().max(1000).default(1).meta({
    flag: 'rate',
    unit: 'rate',
    help: 'whispers per second of each client, on an open schedule of its own',
  }),
  durationMs: z.number().int().min(1).max(3_600_000).default(10_000).meta({
    flag: 'duration',
    unit: 'duration',
    help: 'length of the measured part: each client whispers rate × duration times, and its warm-up before that',
  }),
  payloadBytes: payloadBytesOf('the data in each whisper'),
  rampRatePerSecond,
  warmUp: z.number().int().min(0).max(10_000).default(1).meta({
    flag: 'warm-up',
    unit: 'count',
    help: 'whispers at the head of each client’s schedule that are sent and received but never sampled',
  }),
  drainMs: z.number().int().min(0).max(600_000).default(5000).meta({
    flag: 'drain',
    unit: 'duration',
    help: 'how long deliveries are awaited after the last whisper; what comes later is late, and lost',
  }),
});

export type WhisperOptions = z.output<typeof whisperOptions>;

/** Whispers of each client, warm-up included. */
export function whispersEach(options: WhisperOptions): number {
  return options.warmUp + sendsIn(options);
}
