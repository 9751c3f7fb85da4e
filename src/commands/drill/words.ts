import { milliseconds } from '../../render/words/values.js';

/** A share in words: `3.1 %`. */
export function drillPercent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** Bytes per second in words: `117 MB/s`, `0.9 MB/s`. */
export function bytesPerSecond(rate: number): string {
  const megabytes = rate / 1e6;
  return `${megabytes.toFixed(megabytes < 10 ? 1 : 0)} MB/s`;
}

/** A time in milliseconds, in seconds from one second on: `3.1 ms`, `−61.0 s`. */
export function seconds(ms: number): string {
  const sign = ms < 0 ? '−' : '';
  const size = Math.abs(ms);
  return sign + (size < 1000 ? `${milliseconds(size * 1000)} ms` : `${(size / 1000).toFixed(1)} s`);
}

/** Parts per million, with their sign. */
export function ppm(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(0)} ppm`;
}

/** A rate that was computed from a small load: two digits of it are known, and no more is promised. */
export function about(rate: number): string {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, rate))) - 1);
  return (Math.floor(rate / unit) * unit).toLocaleString('en-US');
}
