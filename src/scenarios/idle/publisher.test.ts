import { describe, expect, it } from 'vitest';
import { startNs, workerOnStage } from '../../../test/stage/worker-on-stage.js';
import { idleOptions, idlePublisher } from './roles.js';

/** A publisher whose target answers so, one answer after the other, each after 7 ms. */
function publisherOnStage(
  answers: readonly (number | string)[],
  { index = 0, broadcasts = 3, probeTimeoutMs = 30_011 } = {},
) {
  const { context, clock, abort, at } = workerOnStage(idleOptions.parse({ probeTimeoutMs }), { broadcasts });
  const published: [text: string, atMs: number][] = [];
  const publisher = idlePublisher({
    ...context,
    slice: { index, of: 3 },
    until: clock.until,
    payload: (sequence) => `probe ${sequence}`,
    async publish(data) {
      published.push([data, (clock.nowNs() - startNs) / 1e6]);
      await clock.sleep(7);
      return answers[published.length - 1] ?? 500;
    },
  });
  const stage = (name: string) => clock.run(publisher.stage(name, clock.nowNs(), abort.signal));
  return { publisher, published, stage, abort, at };
}

describe('the publisher of the probe', () => {
  it('publishes it once when the target takes it', async () => {
    const { publisher, published, stage } = publisherOnStage([201]);
    for (const name of ['ramp', 'hold', 'probe']) await stage(name);
    expect(published).toEqual([['probe 0', 0]]);
    expect(publisher.report()).toEqual({
      counts: { probesAttempted: 1, probesAcked: 1 },
      causes: { publish: {} },
      timeline: {},
      samples: {},
      series: {},
    });
  });

  it('tries again a second later when the target did not take it, each time with a new probe', async () => {
    const { publisher, published, stage } = publisherOnStage([503, 'reset', 299]);
    await stage('probe');
    expect(published).toEqual([
      ['probe 0', 0],
      ['probe 1', 1007],
      ['probe 2', 2014],
    ]);
    expect(publisher.report()).toMatchObject({
      counts: { probesAttempted: 3, probesAcked: 1 },
      causes: { publish: { 'http-status:503': 1, reset: 1 } },
    });
  });

  it('gives up when the board is full', async () => {
    const { publisher, stage } = publisherOnStage([]);
    await stage('probe');
    expect(publisher.report()).toMatchObject({
      counts: { probesAttempted: 3, probesAcked: 0 },
      causes: { publish: { 'http-status:500': 3 } },
    });
  });

  it('does not try again when nobody waits for it any more', async () => {
    const { published, stage } = publisherOnStage([503, 503, 201], { probeTimeoutMs: 1511 });
    await stage('probe');
    expect(published.map(([, atMs]) => atMs)).toEqual([0, 1007]);
  });

  it.each([199, 300, 404])('does not take status %d for an ack', async (status) => {
    const { publisher, stage } = publisherOnStage([status], { broadcasts: 1 });
    await stage('probe');
    expect(publisher.report().counts).toEqual({ probesAttempted: 1, probesAcked: 0 });
  });

  it('of another shard than the first publishes nothing', async () => {
    const { publisher, published, stage } = publisherOnStage([201], { index: 1 });
    await stage('probe');
    expect(published).toEqual([]);
    expect(publisher.report().counts).toEqual({ probesAttempted: 0, probesAcked: 0 });
  });

  it('stops trying when the run is ended', async () => {
    const { publisher, published, stage, abort, at } = publisherOnStage([503, 503, 503]);
    at(503, () => abort.abort());
    await stage('probe');
    expect(published).toHaveLength(1);
    expect(publisher.report().counts).toEqual({ probesAttempted: 1, probesAcked: 0 });
  });
});
