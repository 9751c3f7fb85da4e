import { describe, expect, it } from 'vitest';
import { goldenResult, goldenShard } from '../../test/golden-result.js';
import type { RunResult } from '../results/result.js';
import { scenarioByName } from '../scenarios/list.js';
import type { Scenario } from '../scenarios/scenario.js';
import { renderRun } from './run.js';

const latency = scenarioByName('latency') as Scenario;
const plain = { isColored: false, columns: 120 };
const text = (result: RunResult): string => renderRun(result, latency, plain);

describe('a run for the terminal', () => {
  it('that is clean', () => {
    expect(text(goldenResult())).toMatchInlineSnapshot(`
      "latency  ws  (node 20.20.2, ws 8.23.0)
      subscribers 202 · broadcasts 1006 · rate 10/s · payload 200b · warm-up 11 · drain 5s · wire clients · 2 shards

      verdict  clean: nothing shows the rig in these numbers
      stop     target reached

      ms                      p50   p90   p95   p99  p99.9   max  samples
      delivery              0.743  1.41  2.00  5.00   13.0  41.0  101,606
      deliveryFromIntended  0.757  1.42  2.02  5.02   13.0  41.0  101,606
      publishAck            0.601  1.10  1.30  2.31      –  7.00    1,006
      – : too few samples for that percentile

      publishes   1,006 = 1,006 acked + 0 refused + 0 failed
      deliveries  203,212 = 203,212 delivered + 0 lost  (100 %)
      beside      0 duplicate, 0 out of order, 0 late

      shard 0 worker 0: busy 23 %, loop delay p99 1.7 ms, longest GC pause 3.7 ms
      shard 0 publisher: busy 11 %, loop delay p99 2.3 ms, longest GC pause 0.0 ms
      shard 1 worker 0: busy 23 %, loop delay p99 1.7 ms, longest GC pause 3.7 ms
      shard 1 publisher: busy 11 %, loop delay p99 2.3 ms, longest GC pause 0.0 ms"
    `);
  });

  it('says who decides on reconnects, where clients of a library come back', () => {
    const of = (client: 'wire' | 'library', scenario: string): string => {
      const { target, ...result } = goldenResult();
      const run = { ...result, target: { ...target, client }, metrics: {} };
      return renderRun(run, { ...latency, metrics: (scenarioByName(scenario) as Scenario).metrics }, plain);
    };
    const says = 'the client library does not reconnect by itself';
    expect(of('library', 'jitter')).toContain(says);
    for (const other of [of('wire', 'jitter'), of('library', 'latency')]) expect(other).not.toContain(says);
  });

  it('has what its scenario says of such options above the numbers', () => {
    const noted = { ...latency, notes: () => ['nobody timed this'] };
    expect(renderRun(goldenResult(), noted, plain)).toContain(
      'stop     target reached\nnote     nobody timed this\n\nms ',
    );
  });

  it('that is limited, of a target that is set otherwise', () => {
    const golden = goldenResult();
    const limited = goldenResult({
      target: { ...golden.target, versions: {}, settings: { maxPayload: 1_000_003, adapter: 'memory' } },
      verdict: {
        rig: 'limited',
        evidence: [
          { rule: 'schedule-missed', level: 'limited', text: 'published 9.70/s of 10.00/s offered' },
          { rule: 'gc-pause', level: 'limited', text: 'shard 1 worker 0 paused 23.1 ms' },
        ],
      },
      job: { ...golden.job, shards: 1 },
      shards: golden.shards.slice(0, 1),
      ledger: { ...golden.ledger, delivered: 203_211, lost: 1, duplicate: 2, outOfOrder: 3, late: 1 },
    });
    expect(text(limited)).toMatchInlineSnapshot(`
      "latency  ws
      subscribers 202 · broadcasts 1006 · rate 10/s · payload 200b · warm-up 11 · drain 5s · wire clients · 1 shard
      set otherwise than the library's default: maxPayload=1000003, adapter=memory

      verdict  LIMITED: the rig or its network may have written these numbers
               schedule-missed: published 9.70/s of 10.00/s offered
               gc-pause: shard 1 worker 0 paused 23.1 ms
      stop     target reached

      ms                      p50   p90   p95   p99  p99.9   max  samples
      delivery              0.743  1.41  2.00  5.00   13.0  41.0  101,606
      deliveryFromIntended  0.757  1.42  2.02  5.02   13.0  41.0  101,606
      publishAck            0.601  1.10  1.30  2.31      –  7.00    1,006
      – : too few samples for that percentile

      publishes   1,006 = 1,006 acked + 0 refused + 0 failed
      deliveries  203,212 = 203,211 delivered + 1 lost  (99.99 %)
      beside      2 duplicate, 3 out of order, 1 late

      shard 0 worker 0: busy 23 %, loop delay p99 1.7 ms, longest GC pause 3.7 ms
      shard 0 publisher: busy 11 %, loop delay p99 2.3 ms, longest GC pause 0.0 ms"
    `);
  });

  it('that is void: its target died, and so did a shard', () => {
    const causes = {
      connect: { 'http-status:503': 2 },
      close: { reset: 1009, 'end-of-stream': 3 },
      publish: { 'connect-refused': 4, ours: 3 },
    };
    const stop = {
      code: 'targetGone' as const,
      evidence: ['the target process 4099 ended by itself (signal SIGKILL)'],
    };
    const voided = goldenResult({
      verdict: {
        rig: 'void',
        evidence: [{ rule: 'cut-short', level: 'void', text: 'the run was cut short: target process gone' }],
      },
      stop,
      shards: [
        {
          url: 'http://127.0.0.1:41297',
          state: 'partial',
          why: `${stop.code}: ${stop.evidence[0]}`,
          result: goldenShard(0, { causes, stop }),
        },
        { url: 'http://127.0.0.1:41298', state: 'lost', why: 'no answer for 5003 ms: socket hang up', result: null },
      ],
      ledger: { attempted: 11, acked: 3, refused: 1, failed: 7, expected: 606, delivered: 499, lost: 107 },
      metrics: {},
    });
    expect(text(voided)).toMatchInlineSnapshot(`
      "latency  ws  (node 20.20.2, ws 8.23.0)
      subscribers 202 · broadcasts 1006 · rate 10/s · payload 200b · warm-up 11 · drain 5s · wire clients · 2 shards

      verdict  VOID: these numbers stand for nothing
               cut-short: the run was cut short: target process gone
      stop     target process gone: the target process 4099 ended by itself (signal SIGKILL)

      publishes   11 = 3 acked + 1 refused + 7 failed
      deliveries  606 = 499 delivered + 107 lost  (82.34 %)
      beside      0 duplicate, 0 out of order, 0 late

      not connected  http-status:503 × 2
      cut off        reset × 1,009, end-of-stream × 3
      not acked      connect-refused × 4, unanswered when the run ended × 3

      http://127.0.0.1:41297: partial: targetGone: the target process 4099 ended by itself (signal SIGKILL)
      http://127.0.0.1:41298: lost: no answer for 5003 ms: socket hang up
      shard 0 worker 0: busy 23 %, loop delay p99 1.7 ms, longest GC pause 3.7 ms
      shard 0 publisher: busy 11 %, loop delay p99 2.3 ms, longest GC pause 0.0 ms"
    `);
  });

  it('says of a shard when it was cut off, and what was seen last of one that is lost', () => {
    const [part] = goldenResult().shards;
    const silences = [{ fromMs: 7211.3, toMs: 13_211.3 }];
    const lastSeen = { atMs: 3211.3, stage: 'publish', progress: { subscribers: 60, received: 6080, failed: 0 } };
    const lost = { url: 'http://ring:7003', state: 'lost' as const, why: 'did not answer for 31 s', result: null };
    const shards = [
      { ...part!, url: 'http://ring:7001', silences },
      { ...lost, silences, lastSeen },
    ];
    expect(text(goldenResult({ shards })).match(/^http:.*$/gm)).toEqual([
      'http://ring:7001: cut off: no answer for 6.0 s, from 7.0 s on; nothing that it measured is missing',
      'http://ring:7003: lost: did not answer for 31 s',
      'http://ring:7003: last seen at 3.0 s in publish: subscribers 60, received 6,080',
    ]);
  });

  it('has no books of shards that were all lost', () => {
    const shards = [{ url: 'http://ring:7003', state: 'lost' as const, why: 'did not answer', result: null }];
    expect(text(goldenResult({ shards }))).not.toMatch(/^publishes/m);
  });

  it('says under the stop what to look at first', () => {
    const advice = 'does a server listen at that host and port?';
    const stop = { code: 'targetUnreachable' as const, evidence: ['connect-refused × 7'], advice };
    expect(text(goldenResult({ stop }))).toContain(
      `stop     target unreachable: connect-refused × 7\n         ${advice}\n`,
    );
  });

  it('leaves out the loops that had no load', () => {
    const { rig } = goldenShard(0);
    const workers = rig.workers.map((each) => (each.role === 'publisher' ? { ...each, windowMs: 0 } : each));
    const [part] = goldenResult().shards;
    const shards = [{ ...part!, result: goldenShard(0, { rig: { ...rig, workers } }) }];
    const loops = text(goldenResult({ shards })).match(/^shard \d \w+/gm);
    expect(loops).toEqual(['shard 0 worker']);
  });

  it('shows causes of all shards together', () => {
    const close = (reset: number) => ({ causes: { connect: {}, close: { reset }, publish: {} } });
    const parts = goldenResult().shards.map((part, index) => ({
      ...part,
      result: goldenShard(index, close(7 + index)),
    }));
    expect(text(goldenResult({ shards: parts }))).toContain('cut off        reset × 15');
  });

  it('is painted only where the style has colour', () => {
    const painted = renderRun(goldenResult(), latency, { ...plain, isColored: true });
    expect(painted).toContain('\u001b[');
    expect(text(goldenResult())).not.toContain('\u001b[');
  });
});
