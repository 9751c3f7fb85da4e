import { z } from 'zod';
import {
  countOption,
  drainMs,
  durationOption,
  payloadBytesOf,
  rampRatePerSecond,
  rateOption,
  warmUp,
} from '../options.js';
import { sendsIn } from '../traffic/send-schedule.js';

export const whisperOptions = z.strictObject({
  clients: countOption('clients', 1000, [2, 10_000_000], 'clients that whisper, all shards together'),
  room: countOption('room', 10, [2, 10_000], 'clients per room; each whisper reaches all others in it'),
  ratePerSecond: rateOption('rate', 1, 1000, 'whispers per second of each client, on its own open schedule'),
  durationMs: durationOption('duration', 10_000, [1, 3_600_000], 'length of the measured part of the schedule'),
  payloadBytes: payloadBytesOf('the data in each whisper'),
  rampRatePerSecond,
  warmUp: warmUp(1, 'whispers', 10_000),
  drainMs: drainMs(5000, 'longest wait after the last whisper; later deliveries count as lost'),
});

export type WhisperOptions = z.output<typeof whisperOptions>;

/** Returns the whispers of each client, warm-up included. */
export function whispersEach(options: WhisperOptions): number {
  return options.warmUp + sendsIn(options);
}
