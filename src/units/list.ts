import { type Unit, unitOf } from './unit.js';

/** The units that an option can be declared with. */
export type UnitName = 'duration' | 'bytes' | 'rate' | 'count';

/** A longer timer, of 2^31 milliseconds or more, ends at once. */
export const longestMs = 24 * 86_400_000;

// Parts go from the longest to the shortest, each at most once: 1h30m, never 30m1h.
const durationParts = /^([^hms]+h)?([^hms]+m(?!s))?([^hms]+s)?([^hms]+ms)?$/;

/** Milliseconds: `250ms`, `10s`, `1.5s`, `2m`, `1h`, `1m30s`. A bare number is wrong, as it could mean seconds. */
export const duration = unitOf({
  placeholder: 'duration',
  expected: 'a duration such as 250ms, 10s or 1m30s',
  suffixes: { ms: 1, s: 1000, m: 60_000, h: 3_600_000 },
  parts: (text) => durationParts.exec(text)?.slice(1).filter(Boolean) ?? [],
});

/** Whole bytes: `200b`, `64kb` (64,000), `64kib` (65,536), `1mb`, `1mib`; a bare number is bytes. */
export const bytes = unitOf({
  placeholder: 'size',
  expected: 'a whole number of bytes such as 200b, 64kb or 1mib',
  suffixes: { b: 1, kb: 1000, kib: 1024, mb: 1_000_000, mib: 1_048_576 },
  takesBare: true,
  isWhole: true,
});

/** Events per second: `10/s`, `600/m`, `0.5/s`; a bare number is per second. */
export const rate = unitOf({
  placeholder: 'rate',
  expected: 'a rate such as 10/s or 600/m',
  suffixes: { '/s': 1, '/m': 60 },
  isPer: true,
  takesBare: true,
});

/** Whole numbers from zero: `1000`, `10_000`, `10k`, `1m`. */
export const count = unitOf({
  placeholder: 'count',
  expected: 'a whole number such as 1000, 10_000 or 10k',
  suffixes: { '': 1, k: 1000, m: 1_000_000 },
  isWhole: true,
  parts: (text) => [text.replaceAll(/(?<=\d)_(?=\d)/g, '')],
});

export const units: Readonly<Record<UnitName, Unit>> = { duration, bytes, rate, count };
