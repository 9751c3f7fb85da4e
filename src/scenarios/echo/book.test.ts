import { describe, expect, it } from 'vitest';
import { total } from '../books/ledger.js';
import { EchoBook } from './book.js';

const missing = (book: EchoBook): number => total(book.missing(1));

/** A book with so many sends, number n being of client n mod 7 at n + 1 and intended at n. */
function bookOf(sends: number): EchoBook {
  const book = new EchoBook();
  for (let number = 0; number < sends; number++) {
    book.sent(book.enter(number % 7, 0, number), number + 1, number + 2);
  }
  return book;
}

describe('the book of echoes', () => {
  it('takes an echo once, and calls what comes again a duplicate', () => {
    const book = bookOf(11);
    expect([book.answer(2, 9), book.answer(2, 9), book.answer(2, 2)]).toEqual(['first', 'duplicate', 'first']);
    expect(missing(book)).toBe(9);
  });

  it('calls stray what is no send of that client', () => {
    const book = bookOf(11);
    expect([book.answer(3, 9), book.answer(4, 11), book.answer(0, 999_999)]).toEqual(['stray', 'stray', 'stray']);
    expect(new EchoBook().answer(0, 0)).toBe('stray');
    expect(missing(book)).toBe(11);
  });

  it('calls late what comes after the drain or after it was given up, and keeps it missing', () => {
    const book = bookOf(3);
    book.abandon(1);
    expect([book.answer(1, 1), book.answer(0, 0)]).toEqual(['late', 'first']);
    book.close();
    expect([book.answer(2, 2), book.answer(0, 0)]).toEqual(['late', 'duplicate']);
    expect(missing(book)).toBe(2);
  });

  it('knows nothing of what was entered and has not left, and never misses what did not leave', () => {
    const book = bookOf(3);
    const [sent, unsent, waiting] = [book.enter(5, 0, 7), book.enter(5, 0, 11), book.enter(5, 0, 13)];
    expect([sent, unsent, waiting]).toEqual([3, 4, 5]);
    expect([book.answer(5, sent), book.sends, book.measured]).toEqual(['stray', 3, 3]);
    book.unsent(unsent);
    book.sent(sent, 17, 0);
    expect([book.sends, book.measured, missing(book)]).toEqual([4, 4, 4]);
    book.withdraw(Int32Array.of(0, 0, 0, 0, 0, 9, 0));
    expect([book.withdrawn, missing(book)]).toEqual([1, 3]);
  });

  it('takes back the last sends of a client that have no echo', () => {
    const book = bookOf(23);
    expect(book.answer(2, 16)).toBe('first');
    book.withdraw(Int32Array.of(0, 0, 2, 1, 0, 0, 9));
    // Client 2 sent 2, 9 and 16, client 6 sent 6, 13 and 20.
    expect([book.withdrawn, missing(book)]).toEqual([2 + 1 + 3, 23 - 1 - 6]);
    expect(book.answer(2, 9)).toBe('late');
  });

  it('keeps the stamps of every send, over its chunks', () => {
    const book = bookOf(200_003);
    for (const number of [0, 65_535, 65_536, 131_072, 200_002]) {
      expect(book.stamps(number)).toEqual({ intendedAtNs: number, sentAtNs: number + 1, writtenAtNs: number + 2 });
      expect(book.answer(number % 7, number)).toBe('first');
    }
    expect([book.sends, missing(book)]).toEqual([200_003, 199_998]);
  });
});
