import { describe, expect, it } from 'vitest';
import { type TcpCounts, tcpNames } from '../../measure/tcp.js';
import { goldenResult, goldenShard } from '../../results/golden-result.js';
import { scenarioByName } from '../../scenarios/list.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { renderJunit } from '../exports/junit.js';
import { renderMarkdown } from '../exports/markdown.js';
import { renderRun } from '../run.js';
import { doubtedInWords, saidInWords, saidOf } from './verdict-words.js';

const latency = scenarioByName('latency') as Scenario;
const plain = { isColored: false } as Parameters<typeof renderRun>[2];

describe('a run that fell short of its job', () => {
  const evidence = ['1,006 publishes = 1,000 acked + 6 refused + 0 failed (http-status:503 × 6)'];
  const short = goldenResult({ stop: { code: 'publishesShort', evidence } });

  it('is not called clean, and not said to be the rig’s', () => {
    expect([saidOf(short), saidOf(goldenResult())]).toEqual(['short', 'clean']);
    const limited = { ...short, verdict: { rig: 'limited' as const, evidence: [] } };
    expect(saidOf(limited)).toBe('limited');
  });

  it('says so in the terminal and in Markdown', () => {
    for (const text of [renderRun(short, latency, plain), renderMarkdown(short, latency)]) {
      expect(text).toContain(saidInWords.short);
      expect(text).not.toContain(saidInWords.clean);
      expect(text).toContain('6 refused');
    }
  });
});

describe('a run that is limited', () => {
  const limited = goldenResult({
    verdict: { rig: 'limited', evidence: [{ level: 'limited', rule: 'link-lossy', text: '7 lost' }] },
  });

  it('is said to be so by the rig or its network, in the terminal, in Markdown and in JUnit', () => {
    expect(doubtedInWords.limited).toContain('network');
    for (const text of [renderRun(limited, latency, plain), renderMarkdown(limited, latency)])
      expect(text).toContain(saidInWords.limited);
    expect(renderJunit([{ kept: limited, scenario: latency }])).toContain(doubtedInWords.limited);
  });
});

describe('what the network lost', () => {
  const counts = Object.fromEntries(tcpNames.map((name) => [name, 0])) as TcpCounts;
  const over = (more: Partial<TcpCounts>) => {
    const whole = goldenShard(0);
    const tcp = { namespace: 'boot-7/net:[11]', counts: { ...counts, ...more } };
    const result = { ...whole, rig: { ...whole.rig, shard: { ...whole.rig.shard, tcp } } };
    return goldenResult({ shards: [{ url: '', state: 'complete', why: '', result }] });
  };

  it('stands beside the latencies where it lost anything', () => {
    const lossy = over({ dataSent: 503, sentAgain: 7 });
    expect(renderRun(lossy, latency, plain)).toMatch(/^network +7 of 503 /m);
    expect(renderMarkdown(lossy, latency)).toMatch(/^- network: 7 of 503 /m);
  });

  it('is not mentioned where it lost nothing', () => {
    const quiet = over({ dataSent: 503, sentAgain: 7, sentTwice: 7 });
    for (const text of [renderRun(quiet, latency, plain), renderMarkdown(quiet, latency)])
      expect(text).not.toContain('network');
  });
});
