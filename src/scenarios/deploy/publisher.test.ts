import { describe, expect, it } from 'vitest';
import { publisherOnStage } from '../../../test/stage/publisher.js';
import { deployOptions, deployPublisher } from './roles.js';

function onStage(answers: (sequence: number) => number | string | undefined = () => 201) {
  const options = deployOptions.parse({ warmUp: 2, broadcasts: 9, ratePerSecond: 10, beforeMs: 250 });
  return publisherOnStage(deployPublisher, options, { broadcasts: 11, answers });
}

describe('the publisher of a deploy', () => {
  it('keeps its one schedule while a gate is stood at, and to its end', async () => {
    const { play, wait, sends, sinceMs, publisher } = onStage();
    await play('steady');
    expect(sinceMs()).toBe(200 + 250);
    await wait(313);
    await play('redeploy');
    expect(sends).toEqual(Array.from({ length: 11 }, (_, sequence) => [sequence, sequence * 100]));
    const { counts, series } = publisher.report();
    // The order came 313 ms after the 450 that were planned: of eleven broadcasts three were due after it.
    expect(counts).toMatchObject({
      attempted: 9,
      latePublishes: 0,
      unpublishedAfter: 0,
      dueAfter: 3,
      offeredPerSecond: 10,
    });
    expect([...(series.acked ?? [])]).toEqual(new Array(9).fill(1));
  });

  it('counts what nobody took, by cause, and apart what was due after the order', async () => {
    const { play, publisher } = onStage((sequence) =>
      sequence === 3 || sequence === 7 ? 'connect-refused' : sequence === 8 ? 502 : 201,
    );
    await play('steady');
    await play('redeploy');
    const { counts, causes, series } = publisher.report();
    expect(counts).toMatchObject({ attempted: 9, unpublishedAfter: 2 });
    expect(counts.offeredPerSecond).toBeCloseTo(10, 9);
    expect([counts.achievedPerSecond, counts.unmetPerSecond]).toEqual([
      expect.closeTo(7 / 0.9, 9),
      expect.closeTo(2 / 0.9, 9),
    ]);
    expect(causes).toEqual({ publish: { 'connect-refused': 2, 'http-status:502': 1 } });
    expect([...(series.failed ?? [])]).toEqual([0, 1, 0, 0, 0, 1, 0, 0, 0]);
    expect([...(series.refused ?? [])]).toEqual([0, 0, 0, 0, 0, 0, 1, 0, 0]);
  });

  it('leaves no publish out of its books when the run is ended between its stages', async () => {
    const { play, wait, abort, publisher } = onStage((sequence) => (sequence < 6 ? 201 : undefined));
    await play('steady');
    await wait(201);
    abort.abort();
    const { counts, causes, series } = publisher.report();
    const sum = (name: string) => [...(series[name] ?? [])].reduce((all, each) => all + each, 0);
    expect(counts.attempted).toBe(5);
    expect([sum('acked'), sum('refused'), sum('failed')]).toEqual([4, 0, 1]);
    expect(causes).toEqual({ publish: { ours: 1 } });
  });
});
