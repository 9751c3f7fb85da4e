import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { WorkerSelf } from '../contract/shard.js';
import { encodeSamples } from '../measure/samples/encoding.js';
import { Recorder } from '../measure/samples/recorder.js';
import { moveIn, moveOut } from './messages.js';

const measured = { self: {} as WorkerSelf, engines: [], talk: { examples: {}, others: 0 } };
const none = { counts: {}, causes: {}, timeline: {} };

it('moves every sample to another thread, raw or as a histogram, and gives its memory away', async () => {
  const values = fc.array(fc.nat({ max: 2 ** 32 - 1 }), { minLength: 1, maxLength: 97 });
  await fc.assert(
    fc.asyncProperty(values, fc.constantFrom(0, 1009), async (samples, cap) => {
      const recorder = new Recorder(cap);
      for (const each of samples) recorder.record(each);
      const series = { acked: Uint32Array.of(1, 0, 1) };
      const { report, buffers } = moveOut({ ...none, samples: { delivery: recorder.finish() }, series }, measured);
      const arrived = structuredClone(report, { transfer: buffers });
      const moved = arrived.samples.delivery;
      expect(await encodeSamples(moveIn(moved as NonNullable<typeof moved>))).toEqual(
        await encodeSamples(recorder.finish()),
      );
      expect([arrived.series.acked, series.acked.length]).toEqual([Uint32Array.of(1, 0, 1), 0]);
    }),
    { numRuns: 60 },
  );
});

it('gives a buffer that several arrays share away once, and a shared one not at all', () => {
  const buffer = new ArrayBuffer(16);
  const series = {
    sent: new Uint32Array(buffer, 0, 2),
    acked: new Uint32Array(buffer, 8, 2),
    shared: new Uint32Array(new SharedArrayBuffer(8)),
  };
  expect(moveOut({ ...none, samples: {}, series: series as never }, measured).buffers).toEqual([buffer]);
});
