import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { makeNative, nativeAddon } from '../../../test/doubles/engines.js';
import type { RecordedDelivery } from '../../../test/doubles/wire-recorder.js';
import { capacity, delivery, WireStage } from '../../../test/stage/wire-stage.js';
import { deliveryFlag } from '../wire.js';
import type { NativeAddon } from './addon.js';
import { loopMemory } from './layout.js';
import { NativeEngine } from './native-engine.js';

/** A number beyond those of the rounds. */
const warmUp = 99_999;
/** Two clocks are read one behind the other where they are matched. */
const matchNs = 10_000;

/** When the kernel took each write: after the first and before the second. */
const writes = new Map<number, [fromNs: number, toNs: number]>();

function write(sequence: number, send: () => void): void {
  const fromNs = performance.now() * 1e6;
  send();
  writes.set(sequence, [fromNs, performance.now() * 1e6]);
}

function holdsTruth({ sequence, notBeforeNs, receivedAtNs }: RecordedDelivery): boolean {
  const [fromNs, toNs] = writes.get(sequence) as [number, number];
  return notBeforeNs <= toNs + matchNs && receivedAtNs >= fromNs - matchNs;
}

const isExact = ({ notBeforeNs, receivedAtNs }: RecordedDelivery): boolean => notBeforeNs === receivedAtNs;
const frame = (text: string): Buffer => Buffer.concat([Buffer.of(0x81, text.length), Buffer.from(text)]);
/** Below `ws`, so that several frames are one write. */
const rawOf = (socket: WebSocket) => (socket as unknown as { _socket: { write(bytes: Buffer): void } })._socket;

describe.skipIf(makeNative === undefined)('stamps of the native engine', () => {
  const memories: ArrayBuffer[] = [];
  /** Remembers the memory of the engine's thread, for what only tests do with it. */
  const addon = {
    ...(nativeAddon as NativeAddon),
    create(...given: Parameters<NativeAddon['create']>) {
      const created = (nativeAddon as NativeAddon).create(...given);
      memories.push(created[1] as ArrayBuffer);
      return created;
    },
  };

  /** As if somebody set the wall clock. */
  function stepClock(ns: number): void {
    const { injectedNs, injectedAtNs } = loopMemory(memories.at(-1) as ArrayBuffer, capacity);
    injectedAtNs[0] = Date.now() * 1e6;
    injectedNs[0] = ns;
  }

  const stage = new WireStage((setup, sink) => new NativeEngine(addon, setup, sink));

  const isStamped = ({ flags }: RecordedDelivery): boolean => (flags & deliveryFlag.unstamped) === 0;

  /** The kernel begins to stamp a moment after the first socket has asked for it. */
  async function untilStamped(client: number, socket: { send(text: string): void }): Promise<void> {
    const { seen } = stage.sink;
    do {
      const before = seen.length;
      write(warmUp, () => socket.send(delivery(warmUp)));
      await stage.sink.until(() => seen.length > before);
    } while (!isStamped(seen.findLast((one) => one.client === client) as RecordedDelivery));
  }

  it('lie in the write of their frame, however long the loop is blocked; intervals hold the truth', async () => {
    const engine = stage.createEngine();
    const clients = 7;
    const sockets: WebSocket[] = [];
    for (let client = 0; client < clients; client++) sockets.push((await stage.open(engine, client)).socket);
    await untilStamped(0, sockets[0] as WebSocket);
    const raws = sockets.map(rawOf);
    const { seen } = stage.sink;
    const measured = () => seen.filter(({ sequence }) => sequence !== warmUp);
    const rounds = 101;
    for (let round = 0; round < rounds; round++) {
      // One segment of one frame, of two, and a cut one.
      const [one, two, three] = [0, 1, 2].map((n) => frame(delivery(round * 3 + n))) as [Buffer, Buffer, Buffer];
      for (const raw of raws) {
        const [, toNs] = writes.get(round * 3) ?? [0, 0];
        const fromNs = toNs === 0 ? performance.now() * 1e6 : (writes.get(round * 3) as [number, number])[0];
        raw.write(Buffer.concat([one, two, three]));
        for (const n of [0, 1, 2]) writes.set(round * 3 + n, [fromNs, performance.now() * 1e6]);
      }
      if (round % 11 === 0) for (const from = performance.now(); performance.now() - from < 29; );
      await nextTurn();
    }
    await stage.sink.until(() => measured().length === clients * rounds * 3);
    expect(measured().filter((one) => !holdsTruth(one))).toEqual([]);
    expect(measured().filter((one) => !isStamped(one))).toEqual([]);
    // The last frame of a segment that was read alone.
    expect(measured().filter((one) => one.sequence % 3 !== 2 && isExact(one))).toEqual([]);
    const { exact, bracketed, unstamped } = engine.stats();
    expect([exact, unstamped]).toEqual([seen.filter(isExact).length, seen.filter((one) => !isStamped(one)).length]);
    expect(exact + bracketed + unstamped).toBe(seen.length);
    expect(exact).toBeGreaterThan(0);
  });

  it.each([1e9, -1e9, 53_000])('are not believed around a step of the wall clock by %i ns', async (stepNs) => {
    const engine = stage.createEngine();
    const { socket } = await stage.open(engine, 3);
    const next = async (sequence: number): Promise<RecordedDelivery> => {
      write(sequence, () => socket.send(delivery(sequence)));
      await stage.sink.until(() => stage.sink.seen.at(-1)?.sequence === sequence);
      return stage.sink.seen.at(-1) as RecordedDelivery;
    };
    await untilStamped(3, socket);
    const before = [await next(11), await next(13)];
    expect(before.map(isExact)).toEqual([true, true]);
    stepClock(stepNs);
    const { flags, ...touched } = await next(17);
    expect(flags).toBe(deliveryFlag.unstamped | deliveryFlag.clockStepped);
    expect(holdsTruth({ ...touched, flags })).toBe(true);
    const after = [await next(19), await next(23)];
    expect(after.at(-1)?.flags).toBe(0);
    expect(after.filter((one) => !holdsTruth(one))).toEqual([]);
    expect(engine.stats()).toMatchObject({ clockSteps: 1 });
  });
});
