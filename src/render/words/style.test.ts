import { expect, it } from 'vitest';
import { paint } from './style.js';
import { columns } from './table.js';

it('adds nothing to text without colour', () => {
  for (const brush of Object.values(paint({ isColored: false, columns: 80 }))) expect(brush('void')).toBe('void');
});

it('has a colour of its own for what is good, doubtful and bad', () => {
  const { good, doubtful, bad } = paint({ isColored: true, columns: 80 });
  const painted = [good('x'), doubtful('x'), bad('x')];
  expect(new Set(painted).size).toBe(3);
  for (const text of painted) expect(text).toContain('\u001b[');
});

it('sets columns without rules: the first to the left, the others to the right, no space at the end', () => {
  const rows = [
    ['ws', '0.743', '7'],
    ['socketio', '41.9', ''],
  ];
  expect(columns(['', 'p50', 'runs'], rows).split('\n')).toEqual([
    '            p50  runs',
    'ws        0.743     7',
    'socketio   41.9',
  ]);
  expect(columns(['a', 'why'], [['ws', 'none']], [0, 1])).toBe('a   why\nws  none');
});

it('keeps columns straight under colour', () => {
  const { bad } = paint({ isColored: true, columns: 80 });
  const [, painted = ''] = columns(['', 'p50'], [[bad('ws'), '7.01']]).split('\n');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escapes of colour begin with one
  expect(painted.replaceAll(/\u001b\[\d+m/g, '')).toBe('ws  7.01');
});
