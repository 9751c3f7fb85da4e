import { expect, it } from 'vitest';
import { expectGolden, expectVariants } from '../../test/golden.js';
import { goldenResult, goldenShard } from '../../test/golden-result.js';
import { goldenThresholds, limited } from '../../test/kept-golden.js';
import type { EngineUse } from '../contract/engine.js';
import { type TcpCounts, tcpNames } from '../measure/tcp.js';
import type { RunResult } from '../results/result.js';
import { scenarioByName } from '../scenarios/list.js';
import type { Scenario } from '../scenarios/scenario.js';
import { terminalText } from './document/terminal.js';
import { runDocument } from './run.js';
import { fold } from './words/table.js';

const latency = scenarioByName('latency') as Scenario;
const plain = { isColored: false, columns: 120 };
const inBrief = (more: Partial<RunResult> = {}, columns = 80): string =>
  fold(terminalText(runDocument(goldenResult(more), latency), { isColored: false, columns }, true), columns);
const text = (more: Partial<RunResult> = {}, scenario = latency): string =>
  terminalText(runDocument(goldenResult(more), scenario), plain);

const golden = goldenResult();
const [part] = golden.shards;
const lost = { url: 'http://ring:7003', state: 'lost', why: 'did not answer for 31 s', result: null } as const;

const limitedRun: Partial<RunResult> = {
  target: { ...golden.target, versions: {}, settings: { maxPayload: 1_000_003, adapter: 'memory' } },
  verdict: limited,
  job: { ...golden.job, shards: 1 },
  shards: golden.shards.slice(0, 1),
  ledger: { ...golden.ledger, delivered: 203_211, lost: 1, duplicate: 2, outOfOrder: 3, late: 1 },
  thresholds: goldenThresholds,
};

const { rig: ofPart } = goldenShard(0);
const heldCores = 'other programs held the target’s cores: its threads waited 1.81 s for one, in 3.0 s of load';
const starved: Partial<RunResult> = {
  verdict: {
    ...{ rig: 'clean', evidence: [] },
    bounds: [
      { metric: 'delivery', figure: 'p99', leastUs: 1009, text: heldCores, rule: 'target-starved' },
      { metric: 'publishAck', figure: null, leastUs: 0, text: heldCores, rule: 'target-starved' },
    ],
  },
  environment: {
    ...golden.environment,
    observations: [
      {
        ...{ source: 'proc', name: 'coreWaitPercent', unit: 'percent', process: '4099' },
        points: [1, 2, 3].map((second) => ({ atMs: golden.environment.loadAtMs + second * 1000, value: 60.3 })),
      },
    ],
  },
  shards: [
    { ...part!, result: goldenShard(0, { rig: { ...ofPart, shard: { ...ofPart.shard, stolenShare: 0.131 } } }) },
  ],
};

const endedStop = {
  code: 'endedByUser' as const,
  evidence: ['the figures hold for these 149 broadcasts'],
  afterMs: 8009,
};
const gone = { code: 'targetGone' as const, evidence: ['the target process 4099 ended by itself (signal SIGKILL)'] };
const causes = {
  connect: { 'http-status:503': 2 },
  close: { reset: 1009, 'end-of-stream': 3 },
  publish: { 'connect-refused': 4, ours: 3 },
};
const voidRun: Partial<RunResult> = {
  verdict: {
    rig: 'void',
    evidence: [{ rule: 'cut-short', level: 'void', text: 'the run was cut short: target process gone' }],
  },
  stop: gone,
  shards: [
    {
      ...part!,
      state: 'partial',
      why: `targetGone: ${gone.evidence[0]}`,
      result: goldenShard(0, { causes, stop: gone }),
    },
    { ...lost, lastSeen: { atMs: 3211.3, stage: 'publish', progress: { subscribers: 60, received: 6080, failed: 0 } } },
  ],
  ledger: { attempted: 11, acked: 3, refused: 1, failed: 7, expected: 606, delivered: 499, lost: 107 },
  metrics: {},
};

const undecided = {
  ...{ text: 'delivery.max<20ms', kind: 'figure' as const, value: 41_011, isKept: false },
  undecidedFromUs: 12_000,
};
const bounds = [
  { metric: 'delivery', figure: 'max' as const, leastUs: 12_000, text: 'delivery max: of 41.0 ms' },
  { metric: 'publishAck', figure: null, leastUs: 0, text: 'publishAck: in the ramp it was busy' },
];
const shortStop = { code: 'publishesShort' as const, evidence: ['1,006 publishes = 1,000 acked + 6 refused'] };
const unreachable = {
  ...{ code: 'targetUnreachable' as const, evidence: ['connect-refused × 7'] },
  advice: 'does a server listen at that host and port?',
};

const counted = { reads: 100_801, clockSteps: 0, loops: 0, cpuNs: 0, coreWaitNs: 0 };
const jsUse: EngineUse = {
  ...{ ...counted, name: 'js', why: 'the package ringside-native is not installed' },
  ...{ handedOver: 101_606, exact: 0, bracketed: 0, unstamped: 101_606 },
  ...{ openssl: '3.0.19', handshakes: { 'TLSv1.3': 1009, 'TLSv1.3 resumed': 11 } },
};
const nativeUse: EngineUse = {
  ...{ ...counted, name: 'native', handedOver: 101_606, exact: 101_309, bracketed: 286, unstamped: 11 },
  ...{ clockSteps: 1, loops: 6, cpuNs: 5_011_700_000, coreWaitNs: 307_100_000 },
};
const onEngines = (...engines: EngineUse[]): Partial<RunResult> => ({
  shards: golden.shards.map((each, index) => ({
    ...each,
    result: goldenShard(index, { rig: { ...ofPart, engines: engines.slice(index % engines.length).slice(0, 1) } }),
  })),
});

function network(counts: Partial<TcpCounts>): Partial<RunResult> {
  const { rig, ...whole } = goldenShard(0);
  const none = Object.fromEntries(tcpNames.map((name) => [name, 0])) as TcpCounts;
  const shard = { ...rig.shard, tcp: { namespace: 'boot-7/net:[11]', counts: { ...none, ...counts } } };
  return { shards: [{ ...part!, result: { ...whole, rig: { ...rig, shard } } }] };
}

it('says what a run found, in its golden file', async () => {
  const { environment, target } = golden;
  const load = {
    ...{ client: 'wire', protocol: 'ws-json', clients: 1009, ratePerSecond: 10 },
    ...{ payloadBytes: 200, workers: 1, shards: 2 },
  };
  const trusted = (place: 'inside' | 'beyond' | 'untried' | 'uncalibrated'): Partial<RunResult> => ({
    environment: { ...environment, trust: { place, load, p99ErrorUs: 211, calibratedAt: null } },
  });
  const library = { ...latency, metrics: (scenarioByName('jitter') as Scenario).metrics };
  const footprint = { bytesPerConnection: 51_203.7, errorBytes: 211, points: 23 };
  const attached = {
    ...{ atMs: 41_307.1, at: '2026-11-23T07:11:13.000Z', by: 'laptop/4703', from: 'other/4691', silentMs: 5113.7 },
    lacks: ['the course of the shards before 41 s, but for the last seconds', 'readings of the target before 41 s'],
  };
  const silences = [{ fromMs: 7211.3, toMs: 13_211.3 }];
  const partial = {
    state: 'partial' as const,
    why: 'interrupted: the driver was silent for 30007 ms',
    silences: [{ fromMs: 71_503.1, toMs: 113_011.7 }],
  };
  await expectVariants('run.txt', {
    clean: text(),
    limited: text(limitedRun),
    void: text(voidRun),
    short: text({ stop: shortStop }),
    'ended by its user': text({ stop: endedStop, verdict: { rig: 'clean', evidence: [], bounds } }),
    'ended by its user, and limited': text({ ...limitedRun, stop: endedStop }),
    'a target that is not there': text({ stop: unreachable, metrics: {} }),
    bounded: text({ verdict: { rig: 'clean', evidence: [], bounds }, thresholds: [undecided] }),
    'a scenario with notes': text({}, { ...latency, notes: () => ['nobody timed this'] }),
    'a library client that comes back': text({ target: { ...target, client: 'library' }, metrics: {} }, library),
    'another driver attached': text({ environment: { ...environment, attached } }),
    'fetched from its shards': text({
      environment: { ...environment, attached: { ...attached, silentMs: 0, lacks: [] } },
    }),
    'a shard that was cut off': text({ shards: [{ ...part!, silences }] }),
    'a shard that was cut off beyond its lease': text({ shards: [{ ...part!, ...partial }] }),
    'the native engine': text(onEngines(nativeUse)),
    'an engine for each shard': text(onEngines(nativeUse, jsUse)),
    'a lossy network': text(network({ dataSent: 503, sentAgain: 7 })),
    'core time that others took': text(starved),
    'memory per connection': text({ environment: { ...environment, footprint } }, { ...latency, isCapacity: true }),
    'inside the calibration': text(trusted('inside')),
    'beyond the calibration': text(trusted('beyond')),
    'at an untried load': text(trusted('untried')),
    'calibrated on another engine': text({
      environment: {
        ...environment,
        trust: { place: 'untried', load: null, p99ErrorUs: null, calibratedAt: null, otherEngine: 'native' },
      },
    }),
    'not calibrated': text(trusted('uncalibrated')),
  });
});

const briefly: Readonly<Record<string, Partial<RunResult>>> = {
  clean: {},
  bounded: { verdict: { rig: 'clean', evidence: [], bounds: bounds.map((each) => ({ ...each, rule: 'cores-busy' })) } },
  'with thresholds, and limited': limitedRun,
  'with an undecided threshold': { verdict: { rig: 'clean', evidence: [], bounds }, thresholds: [undecided] },
  starved,
  short: { stop: shortStop },
  'ended by its user': { stop: endedStop, verdict: { rig: 'clean', evidence: [], bounds } },
  void: voidRun,
  'void, with advice': { ...voidRun, stop: unreachable },
  'void at its planned end': {
    verdict: { rig: 'void', evidence: [{ rule: 'elapsed-overrun', level: 'void', text: 'took 20822 ms of 9200 ms' }] },
  },
};

it('says in brief what a run found, in its golden file', async () => {
  const texts = Object.entries(briefly).map(([name, more]) => [name, inBrief(more)]);
  const narrow = inBrief(briefly.bounded, 60);
  await expectGolden('run-brief.txt', Object.fromEntries([...texts, ['bounded, narrow', narrow]]));
});

it.each([60, 80, 160])('fits a screen in brief at %i columns', (columns) => {
  for (const more of Object.values(briefly)) {
    const lines = inBrief(more, columns).split('\n');
    expect(lines.length).toBeLessThanOrEqual(21);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
  }
});

it('has no ledger if all shards are lost', () => {
  expect(text({ shards: [lost] })).not.toMatch(/^publishes/m);
});

it('adds up causes over all shards', () => {
  const shards = golden.shards.map((each, index) => ({
    ...each,
    result: goldenShard(index, { causes: { connect: {}, close: { reset: 7 + index }, publish: {} } }),
  }));
  expect(text({ shards })).toContain('reset × 15');
});
