import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { healthy, imageLack, lackOf, printed, titled } from '../test/engines.js';
import { broadcastBooks, latencyFlags, soundResult } from '../test/latency.js';
import { workplace } from '../test/workplace.js';

const place = workplace();
const file = fileURLToPath(new URL('compose.yaml', import.meta.url));
const project = `ringside-test-${process.pid}`;
const env = { RINGSIDE_TOKEN: 'of a test', BENCH_RUNNERS: '3' };

/** Programs that speak Compose, each with its engine. */
const composes = [
  {
    name: 'podman-compose',
    engine: 'podman',
    compose: ['podman-compose'],
    lack: imageLack ?? lackOf('podman-compose', ['version'], 'apt-get install podman-compose'),
  },
  {
    name: 'docker compose',
    engine: 'docker',
    compose: ['docker', 'compose'],
    lack:
      lackOf('docker', ['compose', 'version'], 'apt-get install docker.io docker-compose-v2') ??
      lackOf('docker', ['image', 'inspect', 'ringside'], 'docker build --tag ringside .'),
  },
];

describe.each(composes)('the Compose file', ({ name, engine, compose: [program = '', ...args], lack }) => {
  const compose = (...more: string[]) => printed(program, [...args, '-p', project, '-f', file, ...more], env);
  afterAll(() => lack ?? compose('down'));

  it.skipIf(lack)(titled(`starts three shards and a target with ${name}`, lack), async () => {
    compose('up', '-d');
    const filter = (service: string) =>
      ['project', 'service'].flatMap((label, n) => [
        '--filter',
        `label=com.docker.compose.${label}=${[project, service][n]}`,
      ]);
    const idsOf = (service: string) => printed(engine, ['ps', '--quiet', ...filter(service)]).split('\n');
    const runners = idsOf('bench-runner');
    expect(runners).toHaveLength(3);
    for (const runner of runners) await healthy(engine, runner);
    for (const target of idsOf('target')) await healthy(engine, target, '3000');

    const inspected = JSON.parse(printed(engine, ['inspect', ...runners])) as {
      HostConfig: { Memory: number; NanoCpus: number; ReadonlyRootfs: boolean };
      NetworkSettings: { Ports: Record<string, { HostPort: string }[]> };
    }[];
    for (const { HostConfig } of inspected)
      expect(HostConfig).toMatchObject({ Memory: 2 ** 29, NanoCpus: 1e9, ReadonlyRootfs: true });

    const shards = inspected.map(({ NetworkSettings }) => NetworkSettings.Ports['8080/tcp']?.[0]?.HostPort);
    const result = soundResult(
      await place.run(
        [
          ...['run', 'latency', ...latencyFlags(7, 53), '--protocol', 'ws-json'],
          ...['--target-url', 'ws://target:3000/ws', '--publish-url', 'http://target:3000/_broadcast'],
        ],
        { ...env, SHARDS: shards.map((port) => `http://127.0.0.1:${port}`).join(',') },
      ),
    );
    expect(broadcastBooks(result)).toMatchObject({ attempted: 53, acked: 53, delivered: 53 * 7, lost: 0 });
  });
});
