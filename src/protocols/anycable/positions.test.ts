import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StreamPositions } from './positions.js';

function track(positions: StreamPositions, frame: string): void {
  const bytes = Buffer.from(`}${frame}"}`);
  positions.track(bytes, 1, bytes.length - 2);
}

const frameOf = (stream: string, epoch: string, offset: number, text = 'x') =>
  JSON.stringify({ identifier: '{"channel":"$pubsub"}', message: { m: text }, stream_id: stream, epoch, offset });

test('law: the position of each stream is that of its last delivery', () => {
  const delivery = fc.record({
    stream: fc.constantFrom('bench', 'a<b>&"q"/é', '\\', 'benc'),
    epoch: fc.constantFrom('sxKV', 'JdRD', 'RFyA'),
    offset: fc.nat(),
    text: fc.string(),
  });
  fc.assert(
    fc.property(fc.array(delivery, { minLength: 1 }), (given) => {
      const positions = new StreamPositions();
      for (const { stream, epoch, offset, text } of given) track(positions, frameOf(stream, epoch, offset, text));
      for (const { stream } of given) {
        const last = given.findLast((one) => one.stream === stream)!;
        expect(positions.of(stream)).toEqual({ epoch: last.epoch, offset: last.offset });
      }
    }),
  );
});

test("a name that the target's JSON escapes in its own way is known by its value", () => {
  const positions = new StreamPositions();
  track(
    positions,
    String.raw`{"identifier":"","message":{},"stream_id":"a\u003cb\u003e\u0026\"q\"/é","epoch":"sxKV","offset":1}`,
  );
  expect(positions.of('a<b>&"q"/é')).toEqual({ epoch: 'sxKV', offset: 1 });
});

test('frames without a whole position change nothing, wherever they are cut', () => {
  const whole = frameOf('bench', 'JdRD', 17);
  for (let length = 0; length < whole.length; length++) {
    const positions = new StreamPositions();
    track(positions, frameOf('bench', 'sxKV', 2));
    track(positions, whole.slice(0, length));
    track(
      positions,
      whole.slice(whole.length - Math.min(length, '"stream_id":"bench","epoch":"JdRD","offset":17}'.length - 1)),
    );
    expect(positions.of('bench')).toEqual({ epoch: 'sxKV', offset: 2 });
  }
});

test('a new epoch of a stream replaces the old one', () => {
  const positions = new StreamPositions();
  track(positions, frameOf('bench', 'sxKV', 4_294_967_311));
  expect(positions.of('bench')).toEqual({ epoch: 'sxKV', offset: 4_294_967_311 });
  track(positions, frameOf('bench', 'JdRD', 1));
  expect(positions.of('bench')).toEqual({ epoch: 'JdRD', offset: 1 });
});
