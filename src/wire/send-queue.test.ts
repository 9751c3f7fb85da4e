import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { law } from '../../test/law.js';
import { Pings } from './replies.js';
import { mostUnsentBytes, SendQueue } from './send-queue.js';

/** A queue before a socket that holds one message until the kernel takes it. */
function queueOnStage() {
  const written: string[] = [];
  const socket = { isTaken: true };
  const queue = new SendQueue<string>(
    () => socket.isTaken,
    (message) => {
      written.push(message);
      socket.isTaken = false;
    },
  );
  const take = (): void => {
    socket.isTaken = true;
    queue.flush();
  };
  return { queue, written, take };
}

describe('the queue of a client', () => {
  it('gives the socket one message after the other', () => {
    const { queue, written, take } = queueOnStage();
    for (const message of ['one', 'two', 'three']) expect(queue.send(message, true)).toBe(true);
    expect([written.slice(), queue.unsent]).toEqual([['one'], 2]);
    take();
    take();
    expect([written, queue.unsent, queue.unsentBytes]).toEqual([['one', 'two', 'three'], 0, 0]);
  });

  it('takes a last word however many bytes wait', () => {
    const { queue, written, take } = queueOnStage();
    for (let i = 0; i < 2; i++) queue.send('x'.repeat(mostUnsentBytes), true);
    expect(queue.send('no', true)).toBe(false);
    queue.add('last', false);
    take();
    take();
    expect(written.map((message) => message.length)).toEqual([mostUnsentBytes, mostUnsentBytes, 4]);
  });

  it('counts messages of the run alone', () => {
    const { queue } = queueOnStage();
    for (const isData of [true, false, true, false, false]) queue.send('x', isData);
    expect(queue.unsent).toBe(1);
  });

  it('takes a message of any size where none waits', () => {
    const { queue } = queueOnStage();
    const large = 'x'.repeat(2 * mostUnsentBytes);
    expect([queue.send(large, true), queue.send(large, true), queue.send('x', true)]).toEqual([true, true, false]);
  });

  it('loses nothing that it took, keeps its order and its bound', () => {
    const step = fc.oneof(fc.integer({ min: 1, max: 400_003 }), fc.constant('take' as const));
    law(fc.array(step, { maxLength: 40 }), (steps) => {
      const { queue, written, take } = queueOnStage();
      const accepted: string[] = [];
      for (const each of steps) {
        if (each === 'take') take();
        else {
          const message = 'x'.repeat(each);
          if (queue.send(message, true)) accepted.push(message);
        }
        expect(queue.unsentBytes).toBeLessThanOrEqual(mostUnsentBytes);
        expect(written.length + queue.unsent).toBe(accepted.length);
      }
      for (let n = 0; n < steps.length; n++) take();
      expect(written.map(({ length }) => length)).toEqual(accepted.map(({ length }) => length));
    });
  });
});

it('a pong answers the last ping of its client, once', () => {
  const pings = new Pings();
  const [first, second, other] = [pings.payload(1), pings.payload(1), pings.payload(2)];
  expect(pings.isAnswer(1, first)).toBe(false);
  expect(pings.isAnswer(1, other)).toBe(false);
  expect(pings.isAnswer(1, new Uint8Array())).toBe(false);
  expect(pings.isAnswer(1, second)).toBe(true);
  expect(pings.isAnswer(1, second)).toBe(false);
});

it('nothing answers the ping of a connection before', () => {
  const pings = new Pings();
  const payload = pings.payload(3);
  pings.forget(3);
  expect(pings.isAnswer(3, payload)).toBe(false);
});

it('a payload fits a ping', () => expect(new Pings().payload(0).length).toBeLessThanOrEqual(125));
