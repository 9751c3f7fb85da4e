import { type Reproduction, tablesOf } from '../src/results/published.js';
import { smallSource } from './published.js';

/** For tests: the small source at a tenth of its clients, with a row of each kind. */
export function goldenReproduction(more: Partial<Reproduction> = {}): Reproduction {
  const [table] = tablesOf(smallSource);
  if (!table) throw new Error('the small source has no table');
  const measured = (median: number, least: number, most: number, interval: [number, number] | null) => ({
    median,
    least,
    most,
    interval,
    runs: 3,
  });
  const none = { clean: 0, limited: 0, void: 0 };
  const nothing = (figure: string, why: string) => ({ figure, measured: null, why, ratio: null });
  return {
    tool: { name: 'ringside-bench', version: '0.1.0' },
    startedAt: '2026-11-21T09:40:15.682Z',
    scale: 0.1,
    time: 0.5,
    repeat: 3,
    table,
    changes: [{ option: 'clients', published: '470', here: '47' }],
    found: ['47 subscribers: it jams at 18,400 messages a second'],
    ours: 'ramp-rate 500/s · warm-up 10 · drain 5s',
    rig: {
      machine: {
        kernel: 'Linux 6.18.44',
        cpu: 'AMD EPYC',
        cores: 2,
        memoryBytes: 25_276_510_208,
        runtime: 'node 20.20.2',
      },
      client: 'wire',
      workersPerShard: 1,
      shards: 1,
      hasHistograms: false,
      publisher: 'over HTTP, on an open schedule, which a slow answer does not delay',
    },
    targets: [
      {
        target: 'ws',
        state: 'ran',
        why: '',
        by: '8 processes',
        versions: { node: '20.20.2', ws: '8.23.0' },
        verdicts: { ...none, clean: 2, limited: 1 },
        evidence: ['loop-delay: shard 0 worker 0 was 19.3 ms late'],
      },
      {
        target: 'uws',
        state: 'ran',
        why: '',
        by: '',
        versions: { node: '20.20.2' },
        verdicts: { ...none, clean: 3 },
        evidence: [],
      },
      {
        target: 'socketio',
        state: 'notAvailable',
        why: 'it is not installed. Install it: ringside install socketio.',
        by: '',
        versions: {},
        verdicts: none,
        evidence: [],
      },
      {
        target: 'go-server',
        state: 'elsewhere',
        why: 'a server in Go',
        by: '',
        versions: {},
        verdicts: none,
        evidence: [],
      },
    ],
    rows: [
      { figure: 'small-ws-p50', measured: measured(1.1, 1, 1.2, [0.97, 1.25]), why: '', ratio: 1.1 / 3 },
      {
        figure: 'small-uws-p50',
        measured: { ...measured(0.4127, 0.4, 0.42, null), atLeast: 0.31 },
        why: '',
        ratio: 0.4127 / 2,
      },
      nothing('small-socketio-p50', 'not available'),
      { figure: 'small-ws-lost', measured: measured(0, 0, 0, null), why: '', ratio: null },
      { figure: 'small-ws-delivered', measured: measured(99.9991, 99.9991, 100, null), why: '', ratio: 0.999991 },
      nothing('small-ws-joules', 'no such figure here'),
      nothing('small-go-p50', 'no target here'),
    ],
    pairs: [{ metric: 'delivery.p50', a: 'uws', b: 'ws', holds: 'yes' }],
    ...more,
  };
}
