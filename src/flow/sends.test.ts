import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type MessageTemplate, takeTurns } from './api.js';
import {
  type Instants,
  instantsAt,
  instantsEvery,
  instantsOver,
  MessageText,
  messageMaker,
  type TemplateValues,
} from './sends.js';

const values: TemplateValues = {
  client: 7,
  row: { name: 'O"Brien', age: 41 },
  marker: 'rs5eed0007x',
  drawn: () => 0.5,
};
const filled = (template: MessageTemplate, n = 3, mark = 41, more: Partial<TemplateValues> = {}) => {
  const message = new MessageText(template, { ...values, ...more }).with(n, mark);
  return message instanceof Uint8Array ? message : String(message);
};

describe('a template of text', () => {
  it('has its slots filled', () => {
    expect(filled('{client} {n} {mark} {random:1-6} {row.age} {n}')).toBe('7 3 rs5eed0007x000000041 4 41 3');
  });

  it('keeps braces that are no slot', () => {
    for (const text of ['{}', '{"a":{"b":1}}', '{ n }', '{{7}}', '{', '}{', '{1}', 'a{b c}', '{a:1}'])
      expect(filled(text)).toBe(text);
    expect(filled('{{n}}')).toBe('{3}');
  });

  it('has values of a row as text, escaped between quotes', () => {
    expect(filled('say {row.name}')).toBe('say O"Brien');
    expect(filled('42["say","{row.name}"]')).toBe('42["say","O\\"Brien"]');
    expect(filled('"{row.a\\x}"', 0, 0, { row: { 'a\\x': 7 } })).toBe('"7"');
    expect(filled('{row.list}', 0, 0, { row: { list: [1, { a: 2 }] } })).toBe('[1,{"a":2}]');
  });

  it('draws from the whole range of a random number', () => {
    const ends = [0, 1 - 2 ** -53].map((drawn) => filled('{random:1-6}', 0, 0, { drawn: () => drawn }));
    expect(ends).toEqual(['1', '6']);
  });

  it('has nine digits in a mark', () => {
    expect([0, 999_999_999].map((mark) => filled('{mark}', 0, mark))).toEqual([
      'rs5eed0007x000000000',
      'rs5eed0007x999999999',
    ]);
  });

  it('is refused with what it can have', () => {
    expect(() => filled('{name}')).toThrow(
      'a message has {name}: expected {n}, {client}, {mark}, {row.x}, {random:1-6}',
    );
    expect(() => filled('{random:6-1}')).toThrow(/expected two rising numbers/);
    expect(() => filled('{random:}')).toThrow(/expected two rising numbers/);
    expect(() => filled('{row.nmae}')).toThrow('a message has {row.nmae}: expected one of name, age');
    expect(() => filled('{row.name}', 0, 0, { row: undefined })).toThrow(/expected data of the flow/);
  });
});

describe('a template that is an object', () => {
  it('becomes JSON, and whole values become numbers', () => {
    const object = { n: '{n}', list: ['{client}', '{random:1-6}'], text: 'n {n}', mark: '{mark}', name: '{row.name}' };
    expect(JSON.parse(filled(object) as string)).toEqual({
      n: 3,
      list: [7, 4],
      text: 'n 3',
      mark: 'rs5eed0007x000000041',
      name: 'O"Brien',
    });
    expect(filled(['{n}'], 100_000_000)).toBe('[100000000]');
  });

  it('keeps its keys, and text that looks like such a value', () => {
    const object = { '{n}': 1, a: 'x\\"{n}"', b: ',"{n}",', c: '\\"{n}' };
    expect(JSON.parse(filled(object) as string)).toEqual({ '3': 1, a: 'x\\"3"', b: ',"3",', c: '\\"3' });
  });

  it('stays the same object without slots, whatever it holds', () => {
    const noSlot = fc
      .jsonValue()
      .filter((value) => typeof value === 'object' && value !== null && !/\{[A-Za-z_]/.test(JSON.stringify(value)));
    fc.assert(
      fc.property(noSlot, (value) => {
        expect(JSON.parse(filled(value as object) as string)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('is valid JSON with any row', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        const row = { name };
        expect(JSON.parse(filled({ a: '<{row.name}>' }, 0, 0, { row }) as string)).toEqual({ a: `<${row.name}>` });
      }),
    );
  });

  it('is refused if it is no JSON', () => {
    expect(() => filled((() => 7) as object)).toThrow(/expected text, bytes or a value of JSON/);
  });
});

it('bytes stay as they are', () => {
  const bytes = Buffer.from('{n}');
  expect(filled(bytes)).toBe(bytes);
});

describe('messages in turn', () => {
  it('are sent one after the other, and again from the first', () => {
    const make = messageMaker(takeTurns(['a{n}', { b: '{mark}' }, 'a{n}']), values);
    expect([0, 1, 2, 3].map((n) => String(make(n, 7)))).toEqual(['a0', '{"b":"rs5eed0007x000000007"}', 'a2', 'a3']);
    expect(String(messageMaker('x{n}', values)(5, 0))).toBe('x5');
  });

  it('are a list of their own, as a list can be a message', () =>
    expect(String(messageMaker(['a', '{n}'], values)(3, 0))).toBe('["a",3]'));

  it('are refused if there is none, or if one has a wrong slot', () => {
    expect(() => takeTurns([])).toThrow('expected one message at least');
    expect(() => messageMaker(takeTurns(['{n}', '{m}']), values)).toThrow('a message has {m}');
  });
});

const half = (): number => 0.5;

/** Returns the first instants in milliseconds. */
function first(instants: Instants, most = 5): number[] {
  const dueMs: number[] = [];
  for (let n = 0; n < most; n++) {
    const dueNs = instants(n);
    if (dueNs === undefined) break;
    dueMs.push(dueNs / 1e6);
  }
  return dueMs;
}

describe('instants', () => {
  it('of a period begin at a drawn place in it, or at once', () => {
    expect(first(instantsEvery('200ms', 1e9, {}, half))).toEqual([1100, 1300, 1500, 1700, 1900]);
    expect(first(instantsEvery(200, 1e9, { from: 'start', count: 2 }, half))).toEqual([1000, 1200]);
  });

  it('of a rate are even, or a Poisson process with that mean', () => {
    expect(first(instantsEvery({ perSecond: 10 }, 0, { from: 'start', until: '250ms' }, half))).toEqual([0, 100, 200]);
    let n = 0;
    const draws = (): number => ((n++ * 7919) % 1000) / 1000;
    const many = first(instantsEvery({ perSecond: 100, poisson: true }, 0, {}, draws), 1000);
    expect(many).toEqual([...many].sort((one, other) => one - other));
    expect((many.at(-1) as number) / many.length).toBeCloseTo(10, 0);
  });

  it('of a list come in the order of their times', () => {
    expect(first(instantsAt(['2s', 500, '1s'], 0, {}))).toEqual([500, 1000, 2000]);
  });

  it('of a burst are spread over its time, or at once', () => {
    expect(first(instantsOver(4, '1s', 0, {}))).toEqual([0, 250, 500, 750]);
    expect(first(instantsOver(2, undefined, 5e6, {}))).toEqual([5, 5]);
  });

  it.each([
    ['a period', () => instantsEvery(0, 0, {}, half)],
    ['a rate', () => instantsEvery({ perSecond: -1 }, 0, {}, half)],
    ['a count', () => instantsOver(0, '1s', 0, {})],
  ])('refuse %s that is not above 0', (_name, make) => {
    expect(make).toThrow(RangeError);
  });
});
