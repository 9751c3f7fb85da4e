import { z } from 'zod';
import { minPayloadBytes } from '../measure/samples/payload.js';

type Bounds = readonly [least: number, most: number];

const whole = ([least, most]: Bounds) => z.number().int().min(least).max(most);

const ofUnit = (unit: string) => (flag: string, fallback: number, bounds: Bounds, help: string) =>
  whole(bounds).default(fallback).meta({ flag, unit, help });

export const countOption = ofUnit('count');
export const bytesOption = ofUnit('bytes');
/** Declares a flag that takes a duration, in milliseconds. */
export const durationOption = ofUnit('duration');

const optionalOf = (unit: string) => (flag: string, bounds: Bounds, help: string) =>
  whole(bounds).optional().meta({ flag, unit, help });

/** Declares a flag that takes a count, without a default. */
export const optionalCount = optionalOf('count');
export const optionalDuration = optionalOf('duration');

/** Declares a flag that takes a rate, in events per second. */
export function rateOption(flag: string, fallback: number, most: number, help: string) {
  return z.number().positive().max(most).default(fallback).meta({ flag, unit: 'rate', help });
}

export function choiceOption<const W extends readonly [string, ...string[]]>(
  flag: string,
  words: W,
  fallback: W[number],
  help: string,
) {
  return z
    .enum(words)
    .default(fallback as never)
    .meta({ flag, help });
}

/** Declares a flag that takes a rate, in events per second, without a default. */
export function optionalRate(flag: string, most: number, help: string) {
  return z.number().positive().max(most).optional().meta({ flag, unit: 'rate', help });
}

export function payloadBytesOf(what: string) {
  return bytesOption('payload', 200, [minPayloadBytes, 1_000_000], `size of ${what}, the same for every target`);
}

export const payloadBytes = payloadBytesOf('each broadcast’s data');

/** Clients opened per second before the measurement begins. */
export const rampRatePerSecond = rateOption('ramp-rate', 500, 1e6, 'clients opened per second, all shards together');

export const clientsOption = countOption('clients', 1000, [1, 10_000_000], 'subscribed clients, all shards together');

/** Declares the flag for measured broadcasts of all shards together. */
export function broadcasts(fallback: number) {
  return countOption('broadcasts', fallback, [1, 10_000_000], 'measured broadcasts, all shards together');
}

export function warmUp(fallback: number, what = 'broadcasts', most = 100_000) {
  return countOption('warm-up', fallback, [0, most], `${what} at the head of the schedule, not sampled`);
}

export function drainMs(fallback: number, help: string, least = 0) {
  return durationOption('drain', fallback, [least, 600_000], help);
}
