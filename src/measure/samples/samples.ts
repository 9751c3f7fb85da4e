import type { JsHistogram } from 'hdr-histogram-js';
import { createHistogram, recordSorted } from './histogram.js';

/** The samples of a metric in microseconds, sorted; or, if there are too many, a histogram of three digits. */
export type Samples = { kind: 'raw'; values: Uint32Array } | { kind: 'histogram'; histogram: JsHistogram };

/** Merges distributions in any order. One histogram makes the whole a histogram; inputs are never changed. */
export function mergeSamples(list: readonly Samples[]): Samples {
  const runs: Uint32Array[] = [];
  for (const samples of list) {
    if (samples.kind === 'histogram') return mergeIntoHistogram(list);
    if (samples.values.length > 0) runs.push(samples.values);
  }
  return { kind: 'raw', values: mergeSorted(runs) };
}

/** How many samples there are. */
export function sampleCount(samples: Samples): number {
  return samples.kind === 'raw' ? samples.values.length : samples.histogram.totalCount;
}

function mergeIntoHistogram(list: readonly Samples[]): Samples {
  const histogram = createHistogram();
  for (const samples of list) {
    if (samples.kind === 'raw') recordSorted(histogram, samples.values);
    else histogram.add(samples.histogram);
  }
  return { kind: 'histogram', histogram };
}

// Neighbours are merged pass by pass, from one buffer into the other and back.
function mergeSorted(runs: readonly Uint32Array[]): Uint32Array {
  const total = runs.reduce((sum, run) => sum + run.length, 0);
  let target: Uint32Array = new Uint32Array(runs.length > 1 ? total : 0);
  let spare: Uint32Array = new Uint32Array(runs.length > 2 ? total : 0);
  while (runs.length > 1) {
    const merged: Uint32Array[] = [];
    let offset = 0;
    for (let at = 0; at < runs.length; at += 2) {
      const left = runs[at] as Uint32Array;
      const right = runs[at + 1] ?? new Uint32Array(0);
      const into = target.subarray(offset, offset + left.length + right.length);
      mergePair(left, right, into);
      merged.push(into);
      offset += into.length;
    }
    runs = merged;
    [target, spare] = [spare, target];
  }
  return runs[0] ?? new Uint32Array(0);
}

function mergePair(left: Uint32Array, right: Uint32Array, into: Uint32Array): void {
  let l = 0;
  let r = 0;
  let at = 0;
  while (l < left.length && r < right.length) {
    const a = left[l] as number;
    const b = right[r] as number;
    if (a <= b) {
      into[at++] = a;
      l++;
    } else {
      into[at++] = b;
      r++;
    }
  }
  into.set(left.subarray(l), at);
  into.set(right.subarray(r), at + left.length - l);
}
