import { expect, it } from 'vitest';
import { CopiedTree } from '../test/copied-tree.js';
import { workplace } from '../test/workplace.js';

const copy = new CopiedTree(workplace());

it('lets programs start at any time, while two builds at once take the place of an older one', async () => {
  expect(await copy.build().ended).toMatchObject({ code: 0 });
  let areBuilt = false;
  const builds = Promise.all([copy.build().ended, copy.build().ended]).finally(() => {
    areBuilt = true;
  });
  const ended = [];
  while (!areBuilt) ended.push(await copy.ringside('list', 'protocols').ended);
  expect((await builds).map(({ code }) => code)).toEqual([0, 0]);
  expect(ended.filter(({ code }) => code !== 0)).toEqual([]);
});
