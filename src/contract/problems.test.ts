import { describe, expect, it } from 'vitest';
import { goldenResult, goldenShard } from '../../test/golden-result.js';
import { terminalText } from '../render/document/terminal.js';
import { runDocument } from '../render/run.js';
import { runResult } from '../results/result.js';
import { scenarioByName } from '../scenarios/list.js';
import type { Scenario } from '../scenarios/scenario.js';
import { exitCodes } from './exit-codes.js';
import { ProblemError, problem, problemTable } from './problems.js';
import { refusal, shardResult } from './shard.js';

it('has a hint and an exit that there is for every problem', () => {
  for (const { hint, exit } of Object.values(problemTable)) {
    expect(hint).toMatch(/[.)]$/);
    expect(Object.keys(exitCodes)).toContain(exit);
  }
});

it('throws all problems at once, and ends as the first of them', () => {
  const error = new ProblemError([problem('badOption', 'one'), problem('shardBusy', 'another')]);
  expect(error.message).toBe('one\nanother');
  expect(error.problems.map(({ code }) => code)).toEqual(['badOption', 'shardBusy']);
  expect(error.exitCode).toBe(2);
});

const forged = '\x1b[2J\nverdict  clean: nothing shows the rig\n\u202estop';
const long = 'x'.repeat(200_003);

describe('what a hostile shard returns', () => {
  it('is clean, short, and adds up', () => {
    const connect = Object.fromEntries(Array.from({ length: 1009 }, (_, id) => [`rejected:${forged} ${id}`, 1]));
    const read = shardResult.parse(
      goldenShard(0, {
        version: forged + long,
        causes: { connect },
        timeline: Object.fromEntries(Object.keys(connect).map((cause) => [`failed ${cause}`, [1]])),
        stop: { code: 'refused', evidence: [forged + long] },
      }),
    );
    expect(JSON.stringify(read)).not.toMatch(/\\u001b|\\n|\u202e/);
    expect(JSON.stringify(read).length).toBeLessThan(60_000);
    expect(Object.keys(read.causes.connect ?? {})).toHaveLength(65);
    expect(read.causes.connect?.other).toBe(1009 - 64);
    expect(read.timeline['failed other']).toEqual([1009 - 64]);
  });

  it.each(['../../../etc/cron', 'a/b', '', 'x\n'])('names no file outside of its result: %j', (name) => {
    const count = { kind: 'raw', count: 1 } as const;
    expect(shardResult.safeParse(goldenShard(0, { samples: { [name]: count } })).success).toBe(false);
    expect(shardResult.safeParse(goldenShard(0, { series: [name] })).success).toBe(false);
  });

  it('refuses in clean words', () => {
    const { problems } = refusal.parse({ problems: [{ code: 'overLimit', message: forged, hint: forged + long }] });
    expect(problems[0]?.message).toBe('verdict clean: nothing shows the rig stop');
    expect(problems[0]?.hint.length).toBeLessThanOrEqual(2048);
  });
});

describe('a kept result that quotes a target', () => {
  const kept = (): unknown => {
    const golden = goldenResult();
    const causes = { [`rejected:${forged}${long}`]: 3, [`rejected:${forged}${long}!`]: 4 };
    return {
      ...golden,
      target: { ...golden.target, versions: { [forged]: forged }, settings: { [forged]: { deep: [forged] } } },
      ledger: { ...golden.ledger, failedByCause: causes },
      shards: golden.shards.map((part) => ({
        ...part,
        why: forged,
        result: { ...part.result, causes: { connect: causes, close: causes, publish: causes } },
      })),
      verdict: { rig: 'void', evidence: [{ rule: 'ledger-broken', level: 'void', text: forged }] },
      stop: { code: 'refused', evidence: [forged + long], advice: forged },
    };
  };

  it('prints no line of its own, and little', () => {
    const result = runResult.parse(kept());
    const text = terminalText(runDocument(result, scenarioByName('latency') as Scenario), {
      isColored: false,
      columns: 120,
    });
    expect(text.split('\n').filter((line) => line.startsWith('verdict  '))).toHaveLength(1);
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(text.length).toBeLessThan(20_000);
  });

  it('keeps the sum of causes that become one', () => {
    expect(Object.values(runResult.parse(kept()).ledger.failedByCause as Record<string, number>)).toEqual([7]);
  });

  it('is the same when it is kept and read again', () => {
    const once = runResult.parse(kept());
    expect(runResult.parse(once)).toEqual(once);
  });
});
