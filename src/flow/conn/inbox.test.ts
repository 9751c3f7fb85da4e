import { beforeEach, describe, expect, it } from 'vitest';
import { Recorder } from '../../measure/samples/recorder.js';
import { Left } from '../api.js';
import { Waits } from '../client/waits.js';
import { FlowFigures } from '../figures.js';
import { UserTime } from '../user-code.js';
import { asJson, fits, Inbox, InboxMessage } from './inbox.js';

function message(json: unknown): InboxMessage {
  return new InboxMessage(typeof json === 'string' ? json : JSON.stringify(json), 2, 1, asJson);
}

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

describe('an inbox', () => {
  let inbox: Inbox;
  let got: string[];
  let thrown: string[];
  let figures: FlowFigures;

  beforeEach(() => {
    [got, thrown] = [[], []];
    const nowNs = () => 0;
    const user = new UserTime(nowNs, (error) => thrown.push((error as Error).message));
    figures = new FlowFigures(
      () => new Recorder(),
      nowNs,
      () => undefined,
    );
    inbox = new Inbox({ figures, nowNs, user }, { inbox: 2 });
  });

  const waits = new Waits(new AbortController().signal, () => undefined);
  const waited = (name: string, match: Parameters<typeof fits>[0]) =>
    waits
      .wait<InboxMessage>((wait) => inbox.wait(match, wait))
      .then(
        ({ data }) => got.push(`${name} ${data}`),
        ({ cause }) => got.push(`${name} ${cause}`),
      );
  const never = (): never => {
    throw new Error('not expected');
  };

  it('keeps what nobody awaits, in order, gives the first that fits, and drops the oldest beyond its limit', () => {
    for (const n of [1, 2, 3]) inbox.put(message({ n, isOdd: n % 2 === 1 }));
    expect([inbox.taken({ isOdd: true })?.json.n, inbox.taken(undefined)?.json.n]).toEqual([3, 2]);
    expect([inbox.taken(undefined), figures.of('overflowed')]).toEqual([undefined, 1]);
  });

  it('gives a message to the first who waits for it, and to all listeners', async () => {
    const all = [waited('first', /2/), waited('second', undefined)];
    const end = inbox.listen(/1/, ({ data }) => got.push(`heard ${data}`));
    inbox.put(message('1'));
    inbox.put(message('2'));
    await Promise.all(all);
    expect(got).toEqual(['heard 1', 'second 1', 'first 2']);
    end();
    inbox.put(message('1'));
    expect([got.length, inbox.taken(undefined)?.data]).toEqual([3, '1']);
  });

  it('guards listeners and tests, and one that throws takes the message from nobody else', async () => {
    inbox.listen(/./, never);
    inbox.listen(/./, ({ data }) => got.push(`heard ${data}`));
    void waited('failing', never);
    const awaited = waited('awaited', /./);
    inbox.put(message('it'));
    await awaited;
    expect([got, thrown]).toEqual([
      ['heard it', 'awaited it'],
      ['not expected', 'not expected'],
    ]);
  });

  it('fails every wait at its end, and those behind it once others had their time', async () => {
    inbox.put(message('kept'));
    const before = waited('before', /none/);
    inbox.end(new Left('gone'));
    await before;
    expect(inbox.taken(undefined)?.data).toBe('kept');
    setImmediate(() => got.push('others'));
    await waited('behind', undefined);
    expect(got).toEqual(['before gone', 'others', 'behind gone']);
  });
});
