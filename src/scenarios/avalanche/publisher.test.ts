import { describe, expect, it } from 'vitest';
import { publisherOnStage, type Scene } from '../../../test/stage/publisher.js';
import { avalancheOptions, avalanchePublisher } from './roles.js';

/** A publisher of shard `index` of 2. */
function onStage({ index = 0, answers }: { index?: number } & Pick<Scene, 'answers'> = {}) {
  const options = avalancheOptions.parse({ calmBroadcasts: 3, ratePerSecond: 5 });
  return publisherOnStage(avalanchePublisher, options, { broadcasts: 3 + 41, slice: { index, of: 2 }, answers });
}

describe('the publisher of an avalanche', () => {
  it('sends its share of the calm, and then goes on beyond the end of its stage until the drain', async () => {
    const { play, wait, sends, publisher } = onStage();
    await play('ramp');
    await play('calm');
    expect(sends).toEqual([
      [0, 0],
      [2, 400],
    ]);
    await play('storm');
    await wait(997);
    await play('drain');
    const shift = 403;
    expect(sends.slice(2)).toEqual([
      [3, shift],
      [5, shift + 400],
      [7, shift + 800],
    ]);
    await wait(2003);
    expect(sends).toHaveLength(5);
    expect(publisher.progress()).toEqual({ published: 5, acked: 5 });
    expect(publisher.report().counts).toMatchObject({ attempted: 5, acked: 5, refused: 0, failedPublishes: 0 });
  });

  it('sends what the other shard does not', async () => {
    const { play, wait, sends } = onStage({ index: 1 });
    await play('calm');
    await play('storm');
    await wait(997);
    await play('drain');
    expect(sends.map(([sequence]) => sequence)).toEqual([1, 4, 6]);
  });

  it('counts what the target does not take, by cause', async () => {
    const answers = (sequence: number) => (sequence === 5 ? 'connect-refused' : sequence === 7 ? 503 : 200);
    const { play, wait, publisher } = onStage({ answers });
    await play('calm');
    await play('storm');
    await wait(997);
    await play('drain');
    const { counts, causes } = publisher.report();
    expect(counts).toMatchObject({ attempted: 5, acked: 3, refused: 1, failedPublishes: 1 });
    expect(causes).toEqual({ publish: { 'connect-refused': 1, 'http-status:503': 1 } });
  });

  it('leaves no publish out of its books when the run is ended in the storm', async () => {
    const { play, wait, publisher, abort } = onStage({ answers: (sequence) => (sequence < 5 ? 200 : undefined) });
    await play('calm');
    await play('storm');
    await wait(601);
    abort.abort();
    const { counts, causes } = publisher.report();
    expect(counts).toMatchObject({ attempted: 4, acked: 3, failedPublishes: 1 });
    expect(causes).toEqual({ publish: { ours: 1 } });
  });
});
