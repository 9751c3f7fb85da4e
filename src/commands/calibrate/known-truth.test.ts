import { expect, it } from 'vitest';
import { doneSinceSent, rateOf } from './known-truth.js';

it('the truth of a delivery is the way of its publish and the metronome’s delay', () => {
  const broadcasts = [
    { sequence: 11, receivedAtNs: 5_000_307_999 },
    { sequence: 12, receivedAtNs: 5_100_211_000 },
  ];
  const sentAtUs = (sequence: number): number => (sequence === 11 ? 5_000_101 : 5_100_000);
  const writes = Uint32Array.of(12, 20_003, 11, 20_001, 11, 7);
  expect(doneSinceSent(broadcasts, writes, sentAtUs)).toEqual({
    kind: 'raw',
    values: Uint32Array.of(7 + 206, 20_001 + 206, 20_003 + 211),
  });
});

it('survives the wrap of 32 bits', () => {
  const aroundNs = 2 ** 32 * 1000;
  const broadcasts = [{ sequence: 0, receivedAtNs: aroundNs + 150_000 }];
  const sent = Uint32Array.of((aroundNs - 50_000) / 1000);
  expect(doneSinceSent(broadcasts, Uint32Array.of(0, 7), () => sent[0] as number)).toEqual({
    kind: 'raw',
    values: Uint32Array.of(207),
  });
});

it('the rate of a metronome is that of its writes, which a backlog makes later', () => {
  const broadcasts = [0, 1, 2, 3, 4].map((sequence) => ({ sequence, receivedAtNs: sequence * 100_000_000 }));
  const writes = (lateUs: number) =>
    Uint32Array.from(
      broadcasts.flatMap(({ sequence }) => [-7, 0, 11].flatMap((us) => [sequence, 20_003 + us + sequence * lateUs])),
    );
  expect(rateOf(broadcasts, writes(0))).toBeCloseTo(10, 9);
  expect(rateOf(broadcasts, writes(100_000))).toBeCloseTo(5, 9);
  expect(rateOf(broadcasts.slice(0, 1), writes(0))).toBeNull();
  expect(rateOf(broadcasts, new Uint32Array(0))).toBeNull();
});
