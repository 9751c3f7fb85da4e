import { describe, expect, it } from 'vitest';
import { asJson, fits, Inbox, InboxMessage } from './inbox.js';

let place = 0;

function message(json: unknown): InboxMessage {
  place++;
  return new InboxMessage(typeof json === 'string' ? json : JSON.stringify(json), 2, 1, asJson, place);
}

const never = (): never => {
  throw new Error('not expected');
};

const plainly = <T>(work: () => T): T => work();

describe('a match', () => {
  it.each<[string, Parameters<typeof fits>[0], unknown, boolean]>([
    ['nothing fits all', undefined, 'text', true],
    ['fields', { type: 'start' }, { type: 'start', n: 1 }, true],
    ['a field of another value', { type: 'start', n: 2 }, { type: 'start', n: 1 }, false],
    ['fields of a text', { type: 'start' }, 'start', false],
    ['fields of null', { type: 'start' }, null, false],
    ['a test', (json: { n: number }) => json.n > 1, { n: 2 }, true],
    ['a pattern of the text', /"n":2/, { n: 2 }, true],
    ['a pattern of a text that is no JSON', /^he/, 'hello', true],
  ])('%s', (_name, match, json, isFitting) => {
    expect(fits(match, message(json))).toBe(isFitting);
  });
});

const inboxOf = (most: number, overflowed: () => void = never): Inbox =>
  new Inbox(most, { overflowed, guarded: plainly, reached: () => undefined });

describe('an inbox', () => {
  it('keeps what nobody awaits, in order, and gives the first that fits', () => {
    const inbox = inboxOf(10);
    for (const n of [1, 2, 3]) inbox.put(message({ n, isOdd: n % 2 === 1 }));
    expect(inbox.taken({ n: 2 })?.json).toEqual({ n: 2, isOdd: false });
    expect([inbox.taken(undefined)?.json.n, inbox.taken({ isOdd: true })?.json.n]).toEqual([1, 3]);
    expect(inbox.taken(undefined)).toBeUndefined();
  });

  it('looks only behind a place where asked', () => {
    const inbox = inboxOf(10);
    const [one, two] = [message({ n: 1 }), message({ n: 1 })];
    inbox.put(one);
    inbox.put(two);
    expect(inbox.taken({ n: 1 }, one.place)).toBe(two);
    expect(inbox.taken({ n: 1 }, one.place)).toBeUndefined();
    expect(inbox.taken({ n: 1 })).toBe(one);
  });

  it('drops the oldest beyond its limit, and says so', () => {
    let dropped = 0;
    const inbox = inboxOf(2, () => void dropped++);
    for (const n of [1, 2, 3, 4]) inbox.put(message({ n }));
    expect([dropped, inbox.taken(undefined)?.json.n]).toEqual([2, 3]);
  });

  it('gives a message to the first who waits for it, and to all listeners', () => {
    const inbox = inboxOf(10);
    const got: string[] = [];
    inbox.wait({ n: 2 }, ({ json }) => got.push(`first ${json.n}`), never);
    inbox.wait(undefined, ({ json }) => got.push(`second ${json.n}`), never);
    const end = inbox.listen({ n: 1 }, ({ json }) => got.push(`heard ${json.n}`));
    inbox.put(message({ n: 1 }));
    inbox.put(message({ n: 2 }));
    expect(got).toEqual(['heard 1', 'second 1', 'first 2']);
    inbox.put(message({ n: 1 }));
    end();
    inbox.put(message({ n: 1 }));
    expect([got.length, inbox.taken(undefined)?.json.n, inbox.taken(undefined)]).toEqual([4, 1, undefined]);
  });

  it('ends waits with an error: one, or all', () => {
    const inbox = inboxOf(10);
    const failed: string[] = [];
    const end = inbox.wait(undefined, never, (error) => failed.push(`first ${error.message}`));
    inbox.wait(undefined, never, (error) => failed.push(`second ${error.message}`));
    end(new Error('late'));
    inbox.fail(new Error('over'));
    end(new Error('twice'));
    expect(failed).toEqual(['first late', 'second over']);
  });

  it('a listener or a test that throws is guarded, and takes the message from nobody else', () => {
    const [got, thrown]: [string[], string[]] = [[], []];
    const guarded = <T>(work: () => T): T | undefined => {
      try {
        return work();
      } catch (error) {
        thrown.push((error as Error).message);
        return undefined;
      }
    };
    const inbox = new Inbox(10, { overflowed: never, guarded, reached: () => undefined });
    inbox.listen(/./, never);
    inbox.listen(/./, ({ data }) => got.push(`heard ${data}`));
    inbox.wait(never, never, never);
    inbox.wait(/./, ({ data }) => got.push(`awaited ${data}`), never);
    inbox.put(message('it'));
    expect([got, thrown]).toEqual([
      ['heard it', 'awaited it'],
      ['not expected', 'not expected'],
    ]);
  });

  it('a wait behind the end fails, once others had their time', async () => {
    const inbox = inboxOf(10);
    inbox.put(message({ n: 1 }));
    inbox.end(new Error('gone'));
    expect(inbox.taken(undefined)?.json.n).toBe(1);
    const order: string[] = [];
    setImmediate(() => order.push('others'));
    await new Promise<void>((resolve) =>
      inbox.wait(undefined, never, (error) => resolve(void order.push(error.message))),
    );
    expect(order).toEqual(['others', 'gone']);
  });
});
