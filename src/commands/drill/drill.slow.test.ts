import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Ended } from '../../../test/command.js';
import { Front } from '../../../test/https-front.js';
import { canDrill, hasProgram, Network } from '../../../test/network.js';
import { workplace } from '../../../test/workplace.js';
import { contractVersion } from '../../contract/job.js';
import { metronomeLivesMs } from '../../contract/shard.js';
import { type DrillResult, drillResult } from './findings.js';

const place = workplace();
const atLoopback = /on the loopback/;

const urlOf = ({ port }: { port: number }): string => `http://127.0.0.1:${port}`;
const drillOf = (...urls: string[]): string[] => ['drill', '--json', ...urls.flatMap((url) => ['--shard', url])];
const foundBy = ({ stdout }: Ended): DrillResult => drillResult.parse(JSON.parse(stdout));
const codesOf = ({ findings }: DrillResult): string[] => findings.map(({ code }) => code);

/** The figures of a shard that nothing happened to. */
const whole = { loop: { isMeasured: true }, roundTrip: { asked: 9 } };

describe.concurrent('a shard that', () => {
  it.each([
    ['is killed in the middle', 'SIGKILL'],
    ['stands still in the middle', 'SIGSTOP'],
  ] as const)('%s is lost: the figures of the other stand', async (_how, signal) => {
    const [one, two] = await Promise.all([place.benchRunner(), place.benchRunner()]);
    const driver = place.ringside(drillOf(urlOf(one), urlOf(two)));
    await driver.said('stderr', atLoopback);
    two.command.kill(signal);
    const ended = await driver.ended;
    two.command.kill('SIGKILL');
    const found = foundBy(ended);
    expect([ended.code, codesOf(found)[0]]).toEqual([5, 'lost']);
    expect(found.shards).toMatchObject([whole, { lost: expect.any(String), loop: { isMeasured: false } }]);
    expect(found.findings[0]?.urls).toEqual([urlOf(two)]);
    expect(found.carries.deliveriesPerSecond).not.toBeNull();
  });

  it('never answers is absent: the figures of the other stand', async () => {
    const silent = createServer();
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const url = urlOf(silent.address() as AddressInfo);
    const ended = await place.run(drillOf(urlOf(await place.benchRunner()), url));
    silent.close();
    const found = foundBy(ended);
    expect([ended.code, found.absent, codesOf(found)[0]]).toEqual([2, [url], 'absent']);
    expect(found.shards).toMatchObject([whole]);
  });

  it('has another version or another token is absent, with the fix', async () => {
    const [one, two, three] = await Promise.all([
      place.benchRunner(),
      place.benchRunner(),
      place.benchRunner([], { RINGSIDE_TOKEN: 'prime-7919' }),
    ]);
    const front = await Front.open(two.port, { infoWith: { contract: contractVersion + 1, version: '9.9.9' } });
    const absent = [front.url, urlOf(three)];
    const ended = await place.run(drillOf(urlOf(one), ...absent));
    front.close();
    const found = foundBy(ended);
    expect([ended.code, found.absent]).toEqual([2, absent]);
    const [foreign, stranger] = found.findings;
    expect([foreign?.urls, stranger?.urls]).toEqual(absent.map((url) => [url]));
    expect(foreign?.fix).not.toBe(stranger?.fix);
    expect(found.shards).toMatchObject([whole]);
  });
});

it.concurrent('a target that is not there is missed by all shards, whose own figures stand', async () => {
  const [one, two] = await Promise.all([place.benchRunner(), place.benchRunner()]);
  const urls = [urlOf(one), urlOf(two)];
  const target = ['--target-url', 'ws://127.0.0.1:1/ws', '--publish-url', 'http://127.0.0.1:1/_broadcast'];
  const ended = await place.run([...drillOf(...urls), ...target, '--protocol', 'ws-json']);
  const found = foundBy(ended);
  expect([ended.code, codesOf(found)[0], found.findings[0]?.urls]).toEqual([4, 'targetMissed', urls]);
  expect(found.shards).toMatchObject([whole, whole]);
});

it.concurrent('a metronome whose driver is gone ends by itself', async () => {
  const { port, command } = await place.benchRunner();
  const driver = place.ringside(drillOf(urlOf({ port })));
  await driver.said('stderr', atLoopback);
  while (command.family().length < 2) await delay(101);
  driver.kill('SIGKILL');
  await delay(metronomeLivesMs);
  while (command.family().length > 1) await delay(503);
});

const canDrop = canDrill('loss on the way to a target', { 'nft (apt-get install nftables)': hasProgram('nft') });

describe.runIf(canDrop)('a link to the target that loses one packet in 23', () => {
  it('is found', async () => {
    const net = await Network.open(place, 2);
    const allowed = ['--allow-target', 'loopback'];
    const [{ flags }] = await Promise.all([net.target(), net.shard('s1', allowed), net.shard('s2', allowed)]);
    const everyNth = (port: string): string => `iifname ${port} meta protocol ip numgen inc mod 23 == 0 drop`;
    net.shell(
      'switches',
      `nft add table bridge lossy
       nft add chain bridge lossy through '{ type filter hook forward priority 0; }'
       nft add rule bridge lossy through ${everyNth('load-target')}`,
    );
    const ended = await net.drive(['drill', '--json', ...flags], ['s1', 's2']).ended;
    const found = foundBy(ended);
    expect(ended.code).toBe(0);
    const urlsOf = (code: string) => found.findings.filter((each) => each.code === code).flatMap(({ urls }) => urls);
    expect(urlsOf('lossyPath')).toEqual([net.urlOf('s1'), net.urlOf('s2')]);
    expect(found.shards).toMatchObject([whole, whole]);
  });
});
