import { expect, it } from 'vitest';
import { scenarioByName } from '../../scenarios/list.js';
import { compareSchema, planCompare, readOptions } from './plan.js';

const latency = scenarioByName('latency')!;
const planned = (flags: Record<string, unknown>) =>
  planCompare(latency, readOptions(compareSchema(latency), { flags, env: {} }), [], 'paired');
const sidesOf = (flags: Record<string, unknown>) =>
  planned(flags).plans.map(({ target, load }) => [target.name, load.compression]);

it('an axis makes two sides of each target, set up alike', () => {
  const flags = { axis: 'compression', targets: ['uws', 'socketio'] };
  expect(sidesOf(flags)).toEqual([
    ['uws', 'off'],
    ['uws+compression', 'require'],
    ['socketio', 'off'],
    ['socketio+compression', 'require'],
  ]);
  const { plans, axis } = planned(flags);
  expect(axis).toBe('compression');
  const settings = plans.map(({ target }) => (target.isOurs ? target.options : undefined));
  expect(settings).toEqual([{ compression: 'on' }, { compression: 'on' }, {}, {}]);
  const off = planned({ ...flags, targets: ['uws'], targetSettings: ['compression=off'], compression: 'offer' });
  expect(off.plans.map(({ target, load }) => [target.isOurs && target.options, load.compression])).toEqual([
    [{ compression: 'off' }, 'off'],
    [{ compression: 'off' }, 'offer'],
  ]);
});

it('by default an axis takes the targets that can do both, and gates take both sides', () => {
  expect(sidesOf({ axis: 'compression' }).map(([name]) => name)).toEqual(
    ['ws', 'ws-http2', 'uws'].flatMap((name) => [name, `${name}+compression`]),
  );
  const gate = { axis: 'compression', targets: ['ws'], thresholds: ['ws+compression/ws delivery.p50<1.5'] };
  expect(planned(gate).ratios).toMatchObject([{ a: 'ws+compression', b: 'ws', of: 'delivery.p50', bound: 1.5 }]);
});

const address = { targetUrl: 'wss://chat.test/ws', publishUrl: 'https://chat.test/publish', protocol: 'ws-json' };

it('the server of an address takes part alone, or beside named targets', () => {
  expect(sidesOf(address)).toEqual([['chat.test', 'off']]);
  expect(sidesOf({ ...address, axis: 'compression' }).map(([name]) => name)).toEqual([
    'chat.test',
    'chat.test+compression',
  ]);
  expect(sidesOf({ ...address, targets: ['ws'] }).map(([name]) => name)).toEqual(['ws', 'chat.test']);
});

it.each([
  [{ publishUrl: address.publishUrl }, '--publish-url: goes with --target-url, which is not given'],
  [{ axis: 'compression', client: 'library' }, '--compression: expected wire clients'],
  [{ axis: 'compression', isProving: true }, '--axis: does not go with --prove'],
])('refuses %j', (flags, message) => {
  expect(() => planned({ targets: ['ws'], ...flags })).toThrow(message);
});
