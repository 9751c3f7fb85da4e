import { describe, expect, it } from 'vitest';
import { valuesOf } from '../../../test/stage/worker-on-stage.js';
import { encodeSends, MarkTable, SendLog, sharedSends } from '../../measure/samples/mark-table.js';
import { Recorder } from '../../measure/samples/recorder.js';
import type { DeliveryBatch } from '../../protocols/protocol.js';
import { type BookShape, MarkBook } from './mark-book.js';
import type { BegunSend } from './marks/declarations.js';

const second = 1e9;
const first = 4096;

interface Given extends Partial<Pick<BookShape, 'arrived' | 'leftAtNs'>> {
  size?: number;
  of?: number;
  from?: number;
}

/** One worker of a shard, whose clients have the numbers 3 to 9 in the run. */
function bookOf({ size = 1024, of = 1, from = first, ...more }: Given = {}) {
  const table = new MarkTable(size, from);
  const shape = { firstClient: 3, clientCount: 7, slice: { index: 0, of }, slices: { count: 7, everyNs: second } };
  const book = new MarkBook({ table, ...shape, ...more, recorder: () => new Recorder() });
  const send = (client: number, atSeconds: number, more: Partial<BegunSend> = {}): number => {
    const number = book.begin(client, book.declare({ name: 'key', isAnswered: false, ...more })) as number;
    const sentAtNs = atSeconds * second;
    book.sent(number, { intendedAtNs: sentAtNs - 2e6, sentAtNs, writtenAtNs: sentAtNs + 1000 });
    return number;
  };
  const came = (client: number, number: number, atSeconds: number): void =>
    book.take(batchOf(client, number, atSeconds));
  return { book, table, send, came };
}

function batchOf(client: number, number: number, atSeconds: number): DeliveryBatch {
  return {
    count: 1,
    client: Int32Array.of(client),
    sequence: Int32Array.of(number),
    receivedAtNs: Float64Array.of(atSeconds * second),
    notBeforeNs: Float64Array.of(atSeconds * second),
    flags: new Uint8Array(1),
  };
}

const others = { owed: { group: 'red', isToAll: false } };
const all = { owed: { group: 'red', isToAll: true } };

/** What a client of another shard sent to the others at these seconds, and one unmeasured send before. */
function logOf(shard: number, ...sentAt: readonly number[]): SendLog {
  const { table, send } = bookOf({ from: shard * first });
  for (const at of sentAt) send(6, at, others);
  send(6, 1, { ...others, isUnmeasured: true });
  return new SendLog(sharedSends(encodeSends(table, 0)).buffer, { shiftNs: 0, errorNs: 0, atNs: 9 * second });
}

describe('the book of one worker', () => {
  it('gives each client numbers in blocks of 32, until the table is full', () => {
    const { book } = bookOf({ size: 64 });
    const begin = (client: number) => book.begin(client, book.declare({ name: '', isAnswered: false }));
    expect([begin(0), begin(1), begin(0)]).toEqual([first, first + 32, first + 1]);
    for (let n = 2; n < 32; n++) begin(0);
    expect(begin(0)).toBeUndefined();
    expect(begin(1)).toBe(first + 33);
    const { counts, causes } = book.report();
    expect(counts).toMatchObject({ declared: 35, sent: 0, unsent: 35 });
    expect(causes.unsent).toEqual({ gone: 0, unread: 0, stopped: 34, 'table-full': 1 });
  });

  it('an unsent one owes nothing, and is counted by its cause', () => {
    const { book } = bookOf();
    book.join(1, 'red', 1 * second, 2 * second);
    const begun = { name: 'key', ...others, isAnswered: true };
    book.unsent(book.begin(0, book.declare(begun)) as number, 'gone');
    book.unsent(book.begin(0, book.declare(begun)) as number, 'unread');
    expect(book.isComplete()).toBe(true);
    const { counts, causes } = book.report();
    expect(counts).toMatchObject({ declared: 2, sent: 0, unsent: 2, owed: 0, answersOwed: 0, owing: 0 });
    expect(causes.unsent).toMatchObject({ gone: 1, unread: 1, stopped: 0 });
  });

  it('owes to all others of the group, and to the sender only if it says so', () => {
    const { book, send, came } = bookOf();
    for (const client of [0, 1, 2]) book.join(client, 'red', 1 * second, 2 * second);
    book.join(3, 'blue', 1 * second, 2 * second);
    const one = send(0, 3, others);
    const other = send(0, 4, all);
    for (const [client, number] of [
      [1, one],
      [0, one],
      [0, one],
      [0, other],
      [2, other],
      [2, other],
      [3, other],
    ] as const)
      came(client, number, 5);
    came(6, first + 900, 5);
    expect(book.isComplete()).toBe(false);
    const { counts } = book.report();
    expect(counts).toMatchObject({ owing: 2, owed: 5, delivered: 3, lost: 2, echoed: 2, duplicate: 1, stray: 2 });
  });

  it('an answer is the first own mark that comes back, and may be a delivery as well', () => {
    const { book, send, came } = bookOf();
    book.join(0, 'red', 1 * second, 2 * second);
    const plain = send(0, 3, { isAnswered: true });
    const both = send(0, 3, { isAnswered: true, ...all });
    const missing = send(1, 3, { isAnswered: true });
    for (const number of [plain, plain, both]) came(0, number, 3.007);
    came(0, missing, 3.007);
    const { counts, samples } = book.report();
    expect(counts).toMatchObject({ answersOwed: 3, answered: 2, unanswered: 1, duplicate: 1, stray: 1, delivered: 1 });
    expect(valuesOf(samples.answer)).toEqual([7000, 7000]);
    expect(valuesOf(samples.answerFromIntended)).toEqual([9000, 9000]);
    expect(valuesOf(samples.answerAtLeast)).toEqual([6999, 6999]);
    expect(valuesOf(samples['answer:key'])).toEqual([7000, 7000]);
    expect(valuesOf(samples.delivery)).toEqual([7000]);
  });

  it('what left while a member joined or just before it left is unclear, but owed if it came', () => {
    const { book, send, came } = bookOf();
    const stay = book.join(1, 'red', 10 * second, 11 * second);
    book.leave(stay, 20 * second);
    const sentAt = [5, 9.5, 10.5, 10.6, 12, 13, 19.5, 19.6, 20.5, 25];
    const numbers = sentAt.map((at) => send(0, at, others));
    for (const at of [9.5, 10.5, 12, 19.5, 20.5, 25]) came(1, numbers[sentAt.indexOf(at)] as number, at + 0.01);
    const { counts } = book.report();
    expect(counts).toMatchObject({ owed: 6, delivered: 5, lost: 1, unclear: 2, stray: 1 });
  });

  it('a slow delivery widens what may still be under way when a member leaves', () => {
    const { book, send, came } = bookOf();
    const stay = book.join(1, 'red', 1 * second, 2 * second);
    const slow = send(0, 3, others);
    send(0, 12, others);
    came(1, slow, 8);
    book.leave(stay, 15 * second);
    expect(book.report().counts).toMatchObject({ owed: 1, delivered: 1, lost: 0, unclear: 1 });
  });

  it('counts what comes after its end as late, and as lost', () => {
    const { book, send, came } = bookOf();
    book.join(1, 'red', 1 * second, 2 * second);
    const [one, other] = [send(0, 3, others), send(0, 3, others)];
    came(1, one, 4);
    book.close();
    for (const number of [one, other, other]) came(1, number, 5);
    expect(book.report().counts).toMatchObject({ owed: 2, delivered: 1, lost: 1, late: 2, duplicate: 1 });
  });

  it('is complete once all that members lack has come, or they have left', () => {
    const { book, send, came } = bookOf();
    const stays = [1, 2].map((client) => book.join(client, 'red', 1 * second, 2 * second));
    const numbers = [send(0, 3, others), send(0, 4, { ...others, isAnswered: true })];
    for (const number of numbers) came(1, number, 5);
    expect(book.isComplete()).toBe(false);
    book.leave(stays[1] as number, 6 * second);
    expect(book.isComplete()).toBe(false);
    came(0, numbers[1] as number, 6);
    expect(book.isComplete()).toBe(true);
    numbers.push(send(0, 7, others));
    expect(book.isComplete()).toBe(false);
    came(1, numbers[2] as number, 8);
    expect(book.isComplete()).toBe(true);
  });

  it('is complete among several shards once it knows what each of the others sent, and has what that owes', () => {
    const { book, send, came } = bookOf({ of: 3 });
    book.join(1, 'red', 1 * second, 2 * second);
    came(1, send(0, 3, others), 4);
    book.learn(logOf(2));
    book.learn(logOf(2));
    expect([book.isComplete(), book.report().counts.unlearned]).toEqual([false, 1]);
    book.learn(logOf(3, 1.5, 5, 6));
    const missing = [1, 2].map((row) => 3 * first + row);
    expect(book.isComplete()).toBe(false);
    for (const number of missing.slice(1)) came(1, number, 7);
    expect(book.isComplete()).toBe(false);
    for (const number of missing.slice(0, 1)) came(1, number, 8);
    expect(book.isComplete()).toBe(true);
    expect(book.report().counts).toMatchObject({ unlearned: 0, owed: 3, delivered: 3, lost: 0, unclear: 1 });
  });

  it('counts what comes again or late from other shards but for what is unmeasured, once it knows them', () => {
    const { book, came } = bookOf({ of: 2 });
    book.join(1, 'red', 1 * second, 2 * second);
    const [one, late, unmeasured, nobodys] = [0, 1, 2, 3].map((row) => 2 * first + row) as [
      number,
      number,
      number,
      number,
    ];
    for (const number of [one, one, one, unmeasured, unmeasured, nobodys]) came(1, number, 4);
    book.close();
    for (const number of [late, late, unmeasured, unmeasured]) came(2, number, 5);
    expect(book.report().counts).toMatchObject({ duplicate: 3, late: 4, unclear: 3, stray: 0 });
    book.learn(logOf(2, 3, 3));
    expect(book.report().counts).toMatchObject({ duplicate: 2, late: 2, unclear: 0, stray: 1, delivered: 1, lost: 1 });
  });

  it('has unmeasured sends in no count, and is complete without them', () => {
    const { book, send, came } = bookOf();
    book.join(1, 'red', 1 * second, 2 * second);
    const [lost, twice] = [3, 4].map((at) => send(0, at, { ...others, isAnswered: true, isUnmeasured: true }));
    for (const client of [0, 0, 1, 1]) came(client, twice as number, 5);
    expect(book.isComplete()).toBe(true);
    book.close();
    came(0, lost as number, 6);
    const { counts, samples } = book.report();
    expect(Object.entries(counts).filter(([, count]) => count > 0)).toEqual([]);
    expect([valuesOf(samples.delivery), valuesOf(samples.answer)]).toEqual([[], []]);
  });

  it('takes back the last sends of a client, which nobody is owed', () => {
    const { book, send, came } = bookOf();
    book.join(1, 'red', 1 * second, 2 * second);
    const numbers = [3, 4, 5].map((at) => send(0, at, { ...others, isAnswered: true }));
    send(2, 3, others);
    for (const client of [0, 1]) came(client, numbers[0] as number, 6);
    book.withdraw((client) => (client === 0 ? 2 : 0));
    const { counts, causes } = book.report();
    expect(counts).toMatchObject({ declared: 4, sent: 2, attempted: 2, unsent: 2, owed: 2, lost: 1, unanswered: 0 });
    expect(causes.unsent).toMatchObject({ unread: 2 });
  });

  it('takes the answer to an abandoned send as late, and awaits it no longer', () => {
    const { book, table, send, came } = bookOf();
    const number = send(0, 3, { isAnswered: true });
    expect(book.isComplete()).toBe(false);
    book.abandon(table.indexOf(number));
    expect(book.isComplete()).toBe(true);
    came(0, number, 9);
    expect(book.report().counts).toMatchObject({ answered: 0, unanswered: 1, late: 1, duplicate: 0 });
  });

  it('tells of each first arrival that may be owed, and when its send had left', () => {
    const told: [client: number, row: number, isAnswer: boolean][] = [];
    const arrived: BookShape['arrived'] = (client, row, isAnswer) => void told.push([client, row, isAnswer]);
    const { book, table, send, came } = bookOf({ of: 2, arrived, leftAtNs: () => 3.5 * second });
    book.join(1, 'red', 1 * second, 2 * second);
    const [answered, owed] = [send(0, 3, { isAnswered: true }), send(0, 3, others)];
    table.writtenAtNs.fill(0);
    for (const [client, number] of [
      [0, answered],
      [0, answered],
      // It is nobody's but its sender's.
      [1, answered],
      [1, owed],
      [1, 2 * first],
    ] as const)
      came(client, number, 5);
    expect(told).toEqual([
      [0, 0, true],
      [1, 1, false],
      [1, -1, false],
    ]);
    expect(valuesOf(book.report().samples.deliveryAtLeast)).toEqual([1_500_000]);
  });

  it('takes no send once it is sealed, and is settled when all have left', () => {
    const { book, send } = bookOf();
    send(0, 3, others);
    const begun = book.begin(1, book.declare({ name: 'key', ...others, isAnswered: false })) as number;
    book.seal();
    expect([book.begin(1, book.declare({ name: 'key', isAnswered: false })), book.isSettled]).toEqual([
      undefined,
      false,
    ]);
    book.unsent(begun, 'gone');
    expect(book.isSettled).toBe(true);
    const { counts, causes } = book.report();
    expect(counts).toMatchObject({ declared: 3, sent: 1, unsent: 2 });
    expect(causes.unsent).toMatchObject({ gone: 1, stopped: 1 });
  });

  it('cleans and bounds names, and counts those beyond the fiftieth', () => {
    const { book, send, came } = bookOf({ size: 8192 });
    book.join(1, 'red', 1 * second, 2 * second);
    came(1, send(0, 3, { ...others, name: `\u001b[31mPOST /é${'x'.repeat(99)}` }), 4);
    for (let n = 0; n < 52; n++) came(1, send(0, 3, { ...others, name: `name ${n}` }), 4);
    const { counts, samples } = book.report();
    const names = Object.keys(samples).filter((name) => name.includes(':'));
    expect(counts).toMatchObject({ nameless: 3, delivered: 53 });
    expect(names).toHaveLength(50);
    expect(names[0]).toMatch(/^delivery:POST \/_x{53}$/);
  });
});
