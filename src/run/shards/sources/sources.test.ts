import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { naming } from '../../../../test/refusal.js';
import { EngineCommands } from '../../engines/engine-commands.js';
import { railway, readContainers, readPods, readUrls, sourceOf, sources } from './list.js';

/** What a real program printed. */
const printed = (name: string): string =>
  readFileSync(new URL(`../../../../test/engines/${name}.json`, import.meta.url), 'utf8');

describe('containers', () => {
  it.each(['docker-inspect', 'podman-inspect'])('are read from %s, by published port or own address', (name) => {
    expect(readContainers(printed(name))).toEqual({
      urls: ['http://127.0.0.1:33111', 'http://10.89.0.4:8080'],
      pending: [naming('ringside_bench-runner_3', 'created'), naming('ringside_bench-runner_4', 'exited')],
    });
  });

  it('are reached at the address that their port is bound to', () => {
    const container = (HostIp: string) => ({
      Name: '/bench-runner',
      State: { Status: 'running' },
      NetworkSettings: { Ports: { '8080/tcp': [{ HostIp, HostPort: '7001' }], '9/tcp': null }, Networks: {} },
    });
    const urls = ['::', '0.0.0.0', '10.1.2.3', 'fd00::7'].map(
      (host) => readContainers(JSON.stringify([container(host)])).urls[0],
    );
    const any = 'http://127.0.0.1:7001';
    expect(urls).toEqual([any, any, 'http://10.1.2.3:7001', 'http://[fd00::7]:7001']);
  });

  it('are not those of a command that runs once', () => {
    const [container] = JSON.parse(printed('podman-inspect')) as { Config: { Labels: object } }[];
    const labels = { ...container?.Config.Labels, 'com.docker.compose.oneoff': 'True' };
    const once = { ...container, Config: { ...container?.Config, Labels: labels } };
    expect(readContainers(JSON.stringify([once]))).toEqual({ urls: [], pending: [] });
  });

  it('are nothing else', () => {
    for (const text of ['', '{}', '[{}]']) expect(() => readContainers(text)).toThrow();
  });
});

it('pods are read in order: those that are ready, and why the others are not', () => {
  expect(readPods(printed('kubectl-pods'))).toEqual({
    urls: ['http://10.244.1.7:8080', 'http://[fd00:10:244::17]:8080', 'http://10.244.1.12:8080'],
    pending: [
      naming('bench-runner-1', 'ending'),
      naming('bench-runner-3', 'CreateContainerConfigError', 'secret "ringside" not found'),
      naming('bench-runner-4', 'Insufficient cpu'),
      naming('bench-runner-5', 'unready'),
    ],
  });
});

const both = ['http://10.0.0.7:8080', 'dns+https://shards.internal'];
it.each([
  ['lines', `# ours\n${both.join('  # one\n\n')}\n`],
  ['a YAML list', both.map((url) => `- ${url}\n`).join('')],
  ['a list under a key', `shards: [${both.join(', ')}]`],
  ['JSON', JSON.stringify(both)],
])('a file of shards holds %s', (_form, text) => {
  expect(readUrls(text)).toEqual(both);
});

it('a file of shards holds nothing else', () => {
  for (const text of ['shards: http://10.0.0.7', 'some words', '- [http://10.0.0.7]'])
    expect(() => readUrls(text)).toThrow();
  expect(readUrls('')).toEqual([]);
});

it('Railway has a private name for all replicas of a service, which is known inside only', async () => {
  const inside = new EngineCommands({ RAILWAY_ENVIRONMENT_ID: 'an id' }, () => undefined);
  expect((await railway.find('one,other', inside)).urls).toEqual([
    'dns+http://one.railway.internal:8080',
    'dns+http://other.railway.internal:8080',
  ]);
});

it('the name of a source may have an argument behind a colon, colons included', () => {
  expect(sourceOf('kubernetes')).toMatchObject({ source: { name: 'kubernetes' }, argument: undefined });
  expect(sourceOf('file:C:/shards.txt')).toMatchObject({ source: { name: 'file' }, argument: 'C:/shards.txt' });
});

it('the name of a source is one of the list, with what it needs', () => {
  expect(sources.map(({ name }) => sourceOf(`${name}:x`)?.source.name)).toEqual(sources.map(({ name }) => name));
  for (const text of ['', 'file', 'file:', 'nomad', 'Compose']) expect(sourceOf(text)).toBeUndefined();
});
