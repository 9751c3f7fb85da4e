import { expect, it } from 'vitest';
import { lineOfError, thrownInWords } from './line.js';

function errorAt(...frames: string[]): Error {
  return Object.assign(new RangeError('no room'), { stack: `RangeError: no room\n    at ${frames.join('\n    at ')}` });
}

it.each([
  [
    ['fail (package:mqtt/lib/client.js:7:3)', 'async Object.client (flow:chat.ts:14:9)', 'flow:lib/a.ts:3:1'],
    'chat.ts:14',
  ],
  [['file:///rig/worker.js:1:2', 'async flow:lib/my words.ts:3:11'], 'lib/my words.ts:3'],
  [['words (flow:../shared/\u001b[31mx.ts:5:1)'], '../shared/x.ts:5'],
  [['workflow:chat.ts (file:///rig/worker.js:1:2)'], undefined],
])('the line of %j is that of the first frame in a file of the user: %s', (frames, line) => {
  expect(lineOfError(errorAt(...frames))).toBe(line);
});

it.each([7, undefined, 'flow:chat.ts:14:9'])('what is no error has no line: %j', (thrown) => {
  expect(lineOfError(thrown)).toBeUndefined();
});

it('says what was thrown, bounded and in one line', () => {
  expect(thrownInWords(errorAt('flow:chat.ts:14:9'), 'chat.ts')).toBe('chat.ts:14: RangeError: no room');
  expect(thrownInWords('a\n\u001b[31mb', 'chat.ts')).toBe('chat.ts: a b');
  expect(thrownInWords(new Error('x'.repeat(5003)), 'chat.ts').length).toBeLessThan(300);
});
