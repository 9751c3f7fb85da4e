import { fileURLToPath } from 'node:url';
import { parseSync } from 'rolldown/utils';
import { expect, it } from 'vitest';
import { flowFile } from './command.js';

it('is a flow of under 40 lines, which the check of types reads as the golden file', async () => {
  expect(parseSync('flow.ts', flowFile).errors).toEqual([]);
  expect(flowFile.split('\n').length).toBeLessThanOrEqual(40);
  const golden = fileURLToPath(new URL('../../../test/golden/flows/start.ts', import.meta.url));
  await expect(flowFile).toMatchFileSnapshot(golden);
});
