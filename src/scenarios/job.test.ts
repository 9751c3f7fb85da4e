import { describe, expect, it } from 'vitest';
import { naming } from '../../test/refusal.js';
import { contractVersion } from '../contract/job.js';
import { ProblemError } from '../contract/problems.js';
import { parseJob, verbProblems } from './job.js';

const secret = 'Bearer lkjhgfdsa';

const body = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  contract: contractVersion,
  runId: '7b39ba6e',
  idempotencyKey: 'one',
  driver: 'ring/4099',
  scenario: 'latency',
  protocol: 'ws-json',
  target: {
    wsUrls: ['ws://127.0.0.1:3001/ws'],
    publishUrl: 'http://127.0.0.1:3001/_broadcast',
    publishHeaders: { authorization: secret },
  },
  stream: 'ringside-7b39ba6e',
  slice: { index: 1, of: 3 },
  seed: 1009,
  options: { clients: 101, broadcasts: 31 },
  ...more,
});

const target = (more: Record<string, unknown>): Record<string, unknown> => ({
  target: { ...(body().target as object), ...more },
});

function problemsOf(json: unknown): string[] {
  try {
    parseJob(json);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    expect(error.exitCode).toBe(2);
    return error.problems.map(({ message }) => message);
  }
  return [];
}

describe('a job body', () => {
  it('becomes a job with every default, and what it demands', () => {
    const job = parseJob(body());
    expect(job.scenario.name).toBe('latency');
    expect(job.options).toMatchObject({ clients: 101, broadcasts: 31, payloadBytes: 200, warmUp: 10 });
    expect(job.load).toMatchObject({ client: 'wire', maxInFlight: 64, leaseMs: 30_000 });
    expect(job.demand).toMatchObject({ clients: 101, broadcasts: 41, payloadBytes: 200, publishesPerSecond: 20 });
    expect(job.target.publishHeaders).toEqual({ authorization: secret });
  });

  it('needs neither load options nor headers', () => {
    const { publishHeaders: _none, ...bare } = body().target as Record<string, unknown>;
    expect(parseJob(body({ target: bare })).target.publishHeaders).toEqual({});
  });

  it('is refused for what would fail only in the middle of the load', () => {
    const publishHeaders = { authorization: 'Bearer lkjh\u0007' };
    expect(problemsOf(body(target({ publishHeaders })))).toEqual([expect.stringMatching(/^target.publishHeaders/)]);
    expect(problemsOf(body(target({ publishHeaders }))).join()).not.toContain('lkjh');
    const load = { localAddresses: ['x'], caPem: 'no PEM', targetCert: 'no PEM' };
    expect(problemsOf(body({ load }))).toEqual([
      naming('load.localAddresses:', '"x"'),
      naming('load.caPem:'),
      naming('load.targetCert:'),
    ]);
  });

  it('says where the target takes batches, when it is to publish by itself', () => {
    const inProcess = { scenario: 'throughput', options: { clients: 101, publish: 'in-process' } };
    expect(problemsOf(body(inProcess))).toEqual([naming('target.inProcessUrl:', 'http://', 'nothing')]);
    const inProcessUrl = 'http://127.0.0.1:3001/_publish-in-process';
    expect(parseJob(body({ ...inProcess, ...target({ inProcessUrl }) })).target.inProcessUrl).toBe(inProcessUrl);
  });

  it('has options of its protocol, and none of another', () => {
    const protocolOptions = { socketioNamespace: '/chat', socketioAuth: '{"token":"lkjhgfdsa"}' };
    expect(parseJob(body({ protocol: 'socketio', protocolOptions })).protocolOptions).toEqual(protocolOptions);
    expect(parseJob(body()).protocolOptions).toEqual({});
    expect(problemsOf(body({ protocolOptions: { socketioEvent: 'news' } }))).toEqual([
      naming('protocolOptions.socketioEvent:', 'unknown'),
    ]);
    const wrong = { socketioNamespace: 'chat', socketioAuth: '["lkjhgfdsa"]', socketioEvent: '' };
    expect(problemsOf(body({ protocol: 'socketio', protocolOptions: wrong }))).toEqual([
      naming('protocolOptions.socketioNamespace:', '"chat"'),
      naming('protocolOptions.socketioAuth:', '(hidden)'),
      naming('protocolOptions.socketioEvent:', 1, '""'),
    ]);
    expect(problemsOf(body({ protocolOptions: 'lkjhgfdsa' }))).toEqual([naming('protocolOptions:', 'text')]);
  });

  it('has every problem told at once', () => {
    const wrong = body({
      contract: contractVersion + 1,
      runId: 'NOT-HEX',
      driver: undefined,
      scenario: 'nap',
      protocol: 'smoke',
      seed: -1,
      stream: '',
      slice: { index: 3, of: 3 },
      load: { workers: 0, zap: 1 },
      note: '',
      ...target({ wsUrls: ['http://127.0.0.1/'], publishUrl: 7, port: 3001 }),
    });
    expect(problemsOf(wrong)).toEqual([
      naming('contract:', contractVersion, contractVersion + 1),
      naming('runId:', '"NOT-HEX"'),
      naming('driver:', 'nothing'),
      naming('target.wsUrls.0:', 'ws://', '"http://127.0.0.1/"'),
      naming('target.publishUrl:', 'http://', 7),
      naming('target:', 'port'),
      naming('stream:', 1, '""'),
      naming('slice:'),
      naming('seed:', 0, '-1'),
      naming('the body:', 'note'),
      naming('scenario:', '"nap"'),
      naming('protocol:', '"smoke"'),
      naming('load.workers:', 1, 0),
      naming('load.zap:', 'client'),
    ]);
  });

  it.each([
    [null, naming('the body:', 'null')],
    [[], naming('the body:', 'list')],
    [7, naming('the body:', 7)],
    [body({ options: { broadcasts: '31' } }), naming('options.broadcasts:', '"31"')],
    [body({ options: { warmup: 3 } }), naming('options.warmup:', 'clients')],
    [body({ options: 3 }), naming('options:', 3)],
    [body({ options: undefined }), naming('options:', 'nothing')],
    [body({ load: [] }), naming('load:', 'list')],
    [body({ scenario: 7 }), naming('scenario:', 7)],
    [body({ scenario: 'toString' }), naming('scenario:', '"toString"')],
    [body({ idempotencyKey: 'x'.repeat(101) }), expect.stringMatching(/^idempotencyKey: .{100,200}$/)],
    [body({ slice: { index: 0, of: 1001 } }), naming('slice.of:', 1000, 1001)],
    [body({ slice: { index: 0, of: 1, at: 7, by: 3 } }), naming('slice:', 'at', 'by')],
  ])('is refused: %j', (json, message) => {
    expect(problemsOf(json)).toEqual([message]);
  });

  it.each([
    body({ target: secret }),
    body({ protocolOptions: { headers: [`x pin: ${secret}`] } }),
    body({ protocolOptions: { headers: [`authorization: ${secret}\r\nx: y`] } }),
    body({ protocolOptions: { headers: [`upgrade: ${secret}`] } }),
    body({ protocolOptions: { headers: secret } }),
    body(target({ upgradeHeaders: { authorization: secret } })),
    body(target({ publishHeaders: secret })),
    body(target({ publishHeaders: [secret] })),
    body(target({ publishHeaders: { 'x-pin': 735_191 } })),
    body(target({ publishHeaders: { authorization: [secret] } })),
    body(target({ publishHeaders: { authorization: { value: secret } } })),
    body(target({ publishHeader: { authorization: secret } })),
    body({ target: [body().target] }),
    body({ slice: body().target }),
    [body()],
    JSON.stringify({ ...target({}), ...body() }),
    { ...(body().target as object), contract: contractVersion + 1 },
  ])('never has its headers told: %#', (json) => {
    const messages = problemsOf(json);
    expect(messages).not.toEqual([]);
    expect(messages.join('\n')).not.toMatch(/lkjhgfdsa|735191/);
  });
});

it('a protocol must have every verb that a scenario needs', () => {
  const demanding = { name: 'chatter', needs: () => ['subscribe', 'whisper', 'echo'] as const };
  expect(verbProblems(demanding, { name: 'ws-json', verbs: ['subscribe', 'echo'] })).toEqual([
    expect.objectContaining({ code: 'missingVerb', message: expect.stringContaining('"whisper"') }),
  ]);
  expect(verbProblems(demanding, { name: 'ws-json', verbs: ['echo', 'subscribe', 'whisper'] })).toEqual([]);
});

it('a protocol must have them with its options, too', () => {
  const whispering = { scenario: 'whisper', options: {}, protocol: 'pusher' };
  const inChannels = (pusherChannel: string): string[] =>
    problemsOf(body({ ...whispering, protocolOptions: { pusherChannel } }));
  expect(inChannels('public')).toEqual([naming('"whisper"', 'pusher', 'public')]);
  expect(inChannels('presence')).toEqual([]);
  expect(problemsOf(body(whispering))).toEqual([]);
});

it('a protocol must have batches, and every publish address must take them', () => {
  const batches = { scenario: 'throughput', options: { publish: 'batches' }, protocol: 'pusher' };
  const at = (...paths: string[]): string[] => {
    const [publishUrl, ...furtherPublishUrls] = paths.map((path) => `http://127.0.0.1:3001${path}`);
    return problemsOf(body({ ...batches, ...target({ publishUrl, furtherPublishUrls }) }));
  };
  expect(at('/apps/7/events', '')).toEqual([]);
  expect(at('/apps/7/events', '/_broadcast')).toEqual([naming('target.publishUrl')]);
  expect(problemsOf(body({ ...batches, protocol: 'ws-json' }))).toEqual([naming('"batch"', 'ws-json')]);
});

it('a target can lack a verb of its protocol', () => {
  const demanding = { name: 'chatter', needs: () => ['subscribe', 'batch'] as const };
  const protocol = { name: 'pusher', verbs: ['subscribe', 'batch'] as const };
  const lacking = (...lacks: string[]) => verbProblems(demanding, protocol, { target: { name: 'mine', lacks } });
  expect(lacking('batch')).toEqual([
    expect.objectContaining({ code: 'missingVerb', message: naming('"batch"', 'mine') }),
  ]);
  expect(lacking('whisper')).toEqual([]);
});
