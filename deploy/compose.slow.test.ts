import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { afterwards } from '../test/afterwards.js';
import { healthy, imageLack, lackOf, printed, titled } from '../test/engines.js';
import { splitJob, wholeSplit } from '../test/split-job.js';
import { workplace } from '../test/workplace.js';

const place = workplace();
const file = fileURLToPath(new URL('compose.yaml', import.meta.url));
const project = `ringside-test-${process.pid}`;
const env = { RINGSIDE_TOKEN: 'of-a-test', BENCH_RUNNERS: '3' };

const labelOf = (name: 'project' | 'service', value: string): string => `label=com.docker.compose.${name}=${value}`;

const flags = ['-p', project, '-f', file];

/** A script that removes all of the project. The `down` of podman-compose 1.0 leaves the network. */
function removal(engine: string, compose: readonly string[]): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return [
    ['env', ...variables, ...compose, ...flags, 'down || true'].join(' '),
    `${engine} ps --all --quiet --filter ${labelOf('project', project)} | xargs -r ${engine} rm --force`,
    `${engine} network ls --quiet --filter name=${project}_default | xargs -r ${engine} network rm`,
  ].join('\n');
}

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
  const compose = (...more: string[]) => printed(program, [...args, ...flags, ...more], env);
  it.skipIf(lack)(titled(`starts three shards and a target with ${name}`, lack), async () => {
    onTestFinished(afterwards(removal(engine, [program, ...args])));
    compose('up', '-d');
    const filter = (service: string) =>
      [labelOf('project', project), labelOf('service', service)].flatMap((label) => ['--filter', label]);
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

    const urls = inspected.map(
      ({ NetworkSettings: { Ports } }) => `http://127.0.0.1:${Ports['8080/tcp']?.[0]?.HostPort}`,
    );
    const target = ['--target-url', 'ws://target:3000/ws', '--publish-url', 'http://target:3000/_broadcast'];
    const ended = await place.run(['run', 'latency', ...splitJob, '--protocol', 'ws-json', ...target], {
      ...env,
      SHARDS: urls.join(','),
    });
    wholeSplit(ended, 3);
  });
});
