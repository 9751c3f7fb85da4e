import type { Recorder } from '../../measure/samples/recorder.js';
import type { Samples } from '../../measure/samples/samples.js';

export function recordersOf<N extends string>(recorder: () => Recorder, ...names: readonly N[]): Record<N, Recorder> {
  return Object.fromEntries(names.map((name) => [name, recorder()])) as Record<N, Recorder>;
}

export function finished<N extends string>(recorders: Record<N, Recorder>): Record<N, Samples> {
  const each = Object.entries<Recorder>(recorders);
  return Object.fromEntries(each.map(([name, recorder]) => [name, recorder.finish()])) as Record<N, Samples>;
}
