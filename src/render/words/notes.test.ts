import { expect, test } from 'vitest';
import { talkLines } from './notes.js';

test('each cause has a line, and the messages that no rule knows have one', () => {
  const examples = {
    'subscribe-timeout': { step: 'no pong came', sent: '{"op":"join"}', received: '{"op":"hello"}' },
    'connect-refused': { step: 'no WebSocket was opened' },
  };
  const lines = talkLines({ talk: { examples, others: 540, firstOther: '42["chat:msg"]' } });
  expect(lines).toHaveLength(3);
  for (const part of ['subscribe-timeout', 'no pong came', '{"op":"join"}', '{"op":"hello"}'])
    expect(lines[0]).toContain(part);
  expect(lines[1]).toContain('connect-refused');
  expect(lines[2]).toContain('540');
  expect(lines[2]).toContain('42["chat:msg"]');
});

test('a run without either has none', () => {
  expect(talkLines({})).toEqual([]);
});
