import { expect, it } from 'vitest';
import { FlowLog } from './log.js';

function logging() {
  const lines: string[] = [];
  const clock = { ms: 0 };
  const log = new FlowLog(
    (text) => lines.push(text),
    () => clock.ms,
  );
  return { log, lines, clock };
}

it('a line has the client and its words, bounded and without control characters', () => {
  const { log, lines } = logging();
  log.log(7, ['joined', { room: 3, list: [1, 2] }, undefined, '\u001b[31mred\n']);
  log.log(7, ['x'.repeat(9999)]);
  expect(lines[0]).toBe('client 7: joined { room: 3, list: [ 1, 2 ] } undefined red');
  expect(lines[1]?.length).toBe(256);
});

it('a worker writes 20 lines in a second, and counts the others', () => {
  const { log, lines, clock } = logging();
  for (let line = 0; line < 70; line++) {
    clock.ms = line * 20;
    log.log(1, [line]);
  }
  expect([lines.length, log.dropped]).toEqual([40, 30]);
});
