import { describe, expect, it } from 'vitest';
import { named } from '../../../test/refusal.js';
import { allDropped, anycable, broadcasts, flags, managed, place } from '../../../test/runs/deploy.js';

describe.concurrent('an application that lives in its target', () => {
  it('of several processes is redeployed one by one, and publishes go on', async () => {
    const ended = await managed('uws', flags(61, ['--target-processes', '3', '--pause', '300ms']));
    const books = allDropped(ended, 61, 3);
    expect(books).toMatchObject({ acked: broadcasts, unpublished: 0 });
  });
});

describe.concurrent('an application that stands alone', () => {
  it('is the only one that AnyCable has', async () => {
    const flagsOfRun = ['run', 'deploy', '--target', 'anycable', ...flags(37, ['--application', 'embedded'])];
    const env = anycable === undefined ? {} : { ANYCABLE_GO_BIN: anycable };
    expect(await place.refused(flagsOfRun, env)).toEqual([named('badOption', 'anycable')]);
  });
});
