import fc from 'fast-check';
import { expect, it } from 'vitest';
import { payloadFormat } from '../../../src/measure/samples/payload.js';
import { SequenceReader } from '../metronome.js';

it('finds the sequence number of any run', () => {
  const reader = new SequenceReader();
  const runIds = fc.constantFrom('0123abcd', 'ffffffff', '00000007');
  fc.assert(
    fc.property(runIds, fc.nat(999), fc.nat(999_999_999), fc.nat(97), (runId, shard, sequence, padding) => {
      expect(reader.of(payloadFormat(runId, 67 + padding).text(shard, sequence))).toBe(sequence);
    }),
  );
});

it.each(['7', '{"m":"ringside:"}', '{"m":"ringside:0123abcd:001:12"}', '{"m":"ringside:0123ABCD:001:000000007:"}'])(
  'finds none in %s',
  (data) => expect(new SequenceReader().of(data)).toBe(-1),
);
