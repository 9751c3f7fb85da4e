import { expect, test } from 'vitest';
import { failedFences } from './run-fences.js';

test('only blocks that are to run do, and one whose first command fails has failed', () => {
  const block = (info: string, code: string) => `\`\`\`${info}\n${code}\n\`\`\`\n`;
  const text = block('sh run', 'true') + block('sh no-run', 'false') + block('sh run', 'echo why >&2; exit 3\ntrue');
  expect(failedFences([{ path: 'page.md', text }], process.cwd())).toEqual([
    expect.stringMatching(/^page\.md:7: .*\b3\nwhy\n$/),
  ]);
});
