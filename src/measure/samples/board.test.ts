import { expect, it } from 'vitest';
import { Board } from './board.js';

const size = 13;

it('keeps its columns apart, to the last entry', () => {
  const board = new Board(size);
  board.intendedAtNs.fill(2);
  board.sentAtNs.fill(3);
  board.ackAtNs.fill(5);
  board.state.fill(7);
  expect([...board.intendedAtNs]).toEqual(Array(size).fill(2));
  expect([...board.sentAtNs]).toEqual(Array(size).fill(3));
  expect([...board.ackAtNs]).toEqual(Array(size).fill(5));
  expect([...board.state]).toEqual(Array(size).fill(7));
});

it('shows all who hold its buffer the same stamps', () => {
  const publisher = new Board(size);
  const worker = new Board(size, publisher.buffer);
  publisher.sentAtNs[11] = 1_000_003.5;
  publisher.state[11] = 2;
  expect([worker.sentAtNs[11], worker.state[11], worker.sentAtNs[10]]).toEqual([1_000_003.5, 2, 0]);
});

it('begins with nothing sent, also for no broadcasts at all', () => {
  expect([...new Board(3).state]).toEqual([0, 0, 0]);
  expect(new Board(0).size).toBe(0);
});
