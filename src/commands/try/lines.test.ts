import { expect, it } from 'vitest';
import type { Happening } from '../../worker/trial/trial.js';
import { happeningText, outcomesText } from './command.js';

const style = { isColored: false, columns: 120 };
const text = (happening: object): string => happeningText({ client: 7, atMs: 13.04, ...happening } as Happening, style);

it.each([
  [{ step: 'open' }, '    13.0 ms  client 7    open'],
  [{ step: 'connecting to a/b', line: 'chat.ts:14' }, '    13.0 ms  client 7    connecting to a/b  chat.ts:14'],
  [
    { isSent: true, isBinary: false, size: 2, content: 'hi', line: 'chat.ts:15' },
    '    13.0 ms  client 7  → text, 2 B  hi  chat.ts:15',
  ],
  [{ isSent: false, isBinary: true, size: 3, content: '0102ff' }, '    13.0 ms  client 7  ← binary, 3 B  0102ff'],
])('prints %j in a line', (happening, expected) => expect(text(happening)).toBe(expected));

it('bounds what comes from outside, and makes its control characters visible', () => {
  expect(text({ step: 'closed: so \u001b[31mlong\n' })).toContain('closed: so \\u{1b}[31mlong\\u{a}');
  expect(text({ isSent: true, isBinary: false, size: 5003, content: 'x'.repeat(5003) }).length).toBeLessThan(250);
  expect(outcomesText([{ step: 'check a\u0007' }, { step: 'finished', why: 'left by x' }], style)).toBe(
    '\n✓ check a\\u{7}\n✗ finished: left by x',
  );
});
