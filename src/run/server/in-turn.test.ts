import { expect, it } from 'vitest';
import { inTurn } from './restart.js';

const going = new AbortController().signal;

function actions(log: string[], over?: AbortController) {
  return [7, 11, 13].map((value) => async () => {
    log.push(`begin ${value}`);
    await new Promise(setImmediate);
    log.push(`end ${value}`);
    if (value === 11) over?.abort();
    return value;
  });
}

it('several things are done one after the other where that is rolling', async () => {
  const log: string[] = [];
  expect(await inTurn(actions(log), { isRolling: true, pauseMs: 0 }, going)).toBe(31);
  expect(log).toEqual(['begin 7', 'end 7', 'begin 11', 'end 11', 'begin 13', 'end 13']);
});

it('several things are done at once where it is not', async () => {
  const log: string[] = [];
  expect(await inTurn(actions(log), { isRolling: false, pauseMs: 0 }, going)).toBe(31);
  expect(log.slice(0, 3)).toEqual(['begin 7', 'begin 11', 'begin 13']);
});

it('several things are left undone from the end of the run on', async () => {
  const log: string[] = [];
  const over = new AbortController();
  expect(await inTurn(actions(log, over), { isRolling: true, pauseMs: 0 }, over.signal)).toBe(18);
  expect(log).not.toContain('begin 13');
});
