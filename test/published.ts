import type { PublishedFile } from '../src/results/published.js';

/** A source with a small table of latencies, one of an unknown target, and a table that nothing here can run. */
export const smallSource: PublishedFile = {
  schema: 1,
  source: { id: 'small-source', title: 'A small source', url: null, date: '2026-11-07' },
  machine: 'a box of 7 cores',
  versions: 'ws 7.1',
  method: { clients: 'one loop', clock: 'Date.now()', samples: 'a few', publisher: 'closed loop' },
  contenders: {},
  elsewhere: { 'go-server': 'a server in Go' },
  tables: [
    {
      id: 'small-latency',
      title: 'Latency at 470 subscribers',
      where: 'section 3',
      scenario: 'latency',
      parameters: { clients: 470, broadcasts: 23, rate: '20/s', payload: '97b' },
      differs: ['published latencies are halves of a round trip'],
      caveats: ['one event loop held all clients'],
      claims: [],
      figures: [
        { id: 'small-ws-p50', target: 'ws', metric: 'delivery.p50', value: 3, unit: 'ms', quote: 'ws: 3 ms' },
        { id: 'small-uws-p50', target: 'uws', metric: 'delivery.p50', value: 2, unit: 'ms', quote: 'uws: 2 ms' },
        {
          id: 'small-socketio-p50',
          target: 'socketio',
          metric: 'delivery.p50',
          value: 5,
          unit: 'ms',
          quote: 'socketio: ~5 ms',
          bound: 'about',
          caveat: 'read off a picture',
        },
        { id: 'small-ws-lost', target: 'ws', metric: 'lost', value: 0, unit: 'count', quote: 'lost 0' },
        { id: 'small-ws-delivered', target: 'ws', metric: 'delivered share', value: 100, unit: '%', quote: '100 %' },
        { id: 'small-ws-joules', target: 'ws', metric: 'joules', value: 11, unit: 'count', quote: '11 J' },
        { id: 'small-go-p50', target: 'go-server', metric: 'delivery.p50', value: 1, unit: 'ms', quote: 'Go: 1 ms' },
      ],
    },
    {
      id: 'small-steps',
      title: 'A test that nobody here can make',
      where: 'section 4',
      scenario: 'staircase',
      parameters: { floors: 13 },
      differs: [],
      caveats: [],
      claims: [],
      figures: [{ id: 'small-steps-ws', target: 'ws', metric: 'roundTrip.p95', value: 7, unit: 'ms', quote: '7 ms' }],
    },
  ],
};
