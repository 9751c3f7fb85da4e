import { expect, it } from 'vitest';
import { installedVersion } from './installed-version.js';

it('says why a program names no version in its own first words, without their colours', async () => {
  const script = "printf '\\033[31mno \\033[1mlicence\\033[0m\\nand more\\n' >&2; exit 1";
  expect(await installedVersion('sh', ['-c', script], {}, 'Get one.')).toEqual({
    isAvailable: false,
    why: 'no licence',
    hint: 'Get one.',
  });
});
