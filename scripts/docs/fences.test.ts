import { expect, test } from 'vitest';
import { splitFences } from './fences.js';

test('fences have the line and the words of their opening, and lose the indent of their list', () => {
  const page = ['- a', '  ```sh run', '  one', '    two', '  ```', 'b', '```', 'c', '```'].join('\n');
  expect(splitFences(page)).toEqual({
    fences: [
      { line: 2, info: 'sh run', text: 'one\n  two\n' },
      { line: 7, info: '', text: 'c\n' },
    ],
    prose: ['- a', '', '', '', '', 'b', '', '', ''],
  });
});
