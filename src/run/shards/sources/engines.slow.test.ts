import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { EngineCommands } from '../../engines/engine-commands.js';
import { composeSource, kubernetes } from './list.js';

const printed = (name: string): string =>
  readFileSync(new URL(`../../../../test/engines/${name}.json`, import.meta.url), 'utf8');

let server: Server | undefined;
let said: string[] = [];
const asked: URL[] = [];

afterEach(() => {
  server?.close();
  asked.length = 0;
  said = [];
});

/** An engine's API that answers what it has, and 404 to all else. */
async function api(answers: Readonly<Record<string, unknown>>): Promise<number> {
  server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://engine');
    asked.push(url);
    const answer = answers[url.pathname];
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json', 'api-version': '1.41' });
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer ?? { message: 'not here' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const commands = (env: Record<string, string>) =>
  new EngineCommands({ PATH: process.env.PATH, HOME: tmpdir(), ...env }, (line) => said.push(line));

/** Whether a program is here; else the test is skipped, and says how to get it. */
function has(program: string, install: string): boolean {
  if (spawnSync(program, ['--help']).status === 0) return true;
  process.stderr.write(`skipped: ${program} is not here; ${install}\n`);
  return false;
}

describe.runIf(has('kubectl', 'https://kubernetes.io/docs/tasks/tools/'))('kubectl', () => {
  const pods = { name: 'pods', singularName: 'pod', namespaced: true, kind: 'Pod', verbs: ['get', 'list'] };

  it('asks an API server for the pods of the label', async () => {
    const port = await api({
      '/api': { kind: 'APIVersions', versions: ['v1'] },
      '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: [] },
      '/api/v1': { kind: 'APIResourceList', groupVersion: 'v1', resources: [pods] },
      '/api/v1/namespaces/default/pods': { ...JSON.parse(printed('kubectl-pods')), kind: 'PodList' },
    });
    const config = {
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'here' },
      clusters: [{ name: 'here', cluster: { server: `http://127.0.0.1:${port}` } }],
      contexts: [{ name: 'here', context: { cluster: 'here', user: '' } }],
    };
    const path = `${tmpdir()}/ringside-kubeconfig-${process.pid}.json`;
    writeFileSync(path, JSON.stringify(config));
    const { urls, pending } = await kubernetes.find(undefined, commands({ KUBECONFIG: path }));
    rmSync(path);
    expect([urls.length, pending.length]).toEqual([3, 4]);
    const selectors = asked.flatMap(({ searchParams }) => searchParams.get('labelSelector') ?? []);
    expect(selectors).toEqual(['app.kubernetes.io/name=ringside-bench-runner']);
  });
});

describe.runIf(has('docker', 'apt-get install docker.io'))('docker', () => {
  it('asks a daemon for the containers of the service', async () => {
    const containers = JSON.parse(printed('docker-inspect')) as { Id: string }[];
    const port = await api({
      '/_ping': 'OK',
      '/v1.41/containers/json': containers.map(({ Id }) => ({ Id, Names: [], Ports: [], Labels: {} })),
      ...Object.fromEntries(containers.map((each) => [`/v1.41/containers/${each.Id.slice(0, 12)}/json`, each])),
    });
    const { urls } = await composeSource.find('ringside', commands({ DOCKER_HOST: `tcp://127.0.0.1:${port}` }));
    expect(urls).toEqual(['http://127.0.0.1:33111', 'http://10.89.0.4:8080']);
    const [filters] = asked.flatMap(({ searchParams }) => searchParams.get('filters') ?? []);
    expect(filters).toContain('com.docker.compose.service=bench-runner');
    expect(filters).toContain('com.docker.compose.project=ringside');
    expect(said.map((line) => line.split(' ')[2])).toEqual(['ps', 'inspect']);
  });
});
