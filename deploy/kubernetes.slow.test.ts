import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { afterwards } from '../test/afterwards.js';
import { healthy, imageLack, lackOf, printed, titled } from '../test/engines.js';
import { splitJob, wholeSplit } from '../test/split-job.js';
import { workplace } from '../test/workplace.js';

const place = workplace();
const pathOf = (name: string): string => fileURLToPath(new URL(`kubernetes/${name}`, import.meta.url));
const manifests = pathOf('bench-runner.yaml');

const helmLack = lackOf('helm', ['version'], 'go install helm.sh/helm/v3/cmd/helm@latest');
const cluster = 'go install sigs.k8s.io/kind@latest && kind create cluster, or any cluster that kubectl knows';
const clusterLack = lackOf('kubectl', ['get', '--raw', '/version'], cluster);

describe.skipIf(helmLack)(titled('the Helm chart', helmLack), () => {
  it('is well made', () => {
    printed('helm', ['lint', '--strict', pathOf('chart')]);
  });

  it('renders the manifests beside it; `-u` writes them', async () => {
    const rendered = printed('helm', ['template', 'ringside', pathOf('chart')]);
    const text = rendered.replace(/^---\n# Source: .*\n/gm, '---\n').replace(/^---\n/, '');
    await expect(`# Rendered from chart/: change it there.\n${text}\n`).toMatchFileSnapshot(manifests);
  });

  it('ends a pod after the bench-runner lingered, however long that is', () => {
    const text = printed('helm', ['template', 'ringside', pathOf('chart'), '--set', 'lingerSeconds=67']);
    expect(text).toContain('value: 67s');
    expect(text).toContain('terminationGracePeriodSeconds: 82');
  });

  it('takes an image with its secret, nodes, variables and settings of the kernel', () => {
    const values = {
      ...{ image: 'ghcr.io/example/ringside', tag: '7.9.7', imagePullSecrets: [{ name: 'pull' }] },
      ...{ nodeSelector: { disk: 'ssd' }, tolerations: [{ key: 'load', operator: 'Exists' }] },
      ...{ env: { RINGSIDE_MAX_CLIENTS: 7000 } },
      sysctls: [{ name: 'net.ipv4.ip_local_port_range', value: '1024 65535' }],
    };
    const file = join(place.folder, 'values.yml');
    writeFileSync(file, stringify(values));
    const [, , { spec }] = parseAllDocuments(
      printed('helm', ['template', 'ringside', pathOf('chart'), '--values', file]),
    ).map((each) => each.toJS());
    const { securityContext, containers, ...pod } = spec.template.spec;
    expect(pod).toMatchObject({
      imagePullSecrets: values.imagePullSecrets,
      nodeSelector: values.nodeSelector,
      tolerations: values.tolerations,
    });
    expect(securityContext.sysctls).toEqual(values.sysctls);
    expect(containers[0].image).toBe('ghcr.io/example/ringside:7.9.7');
    expect(containers[0].env).toContainEqual({ name: 'RINGSIDE_MAX_CLIENTS', value: '7000' });
  });
});

describe.skipIf(clusterLack)(titled('a cluster', clusterLack), () => {
  it('takes the manifests, and knows every field', () => {
    const created = printed('kubectl', ['apply', '--dry-run=server', '--validate=strict', '--filename', manifests]);
    expect(created.split('\n')).toHaveLength(3);
  });
});

const documents = parseAllDocuments(readFileSync(manifests, 'utf8')).map((each) => each.toJS());
const { template } = documents.find(({ kind }) => kind === 'StatefulSet').spec;
const [{ readinessProbe: _, livenessProbe: __, ...container }] = template.spec.containers;
/** The image that was built here has no tag. */
const runner = { ...container, image: 'ringside' };
const token = 'of a test';
const targetPort = '3000';

/** A pod of the StatefulSet for Podman, which has none of these. */
function podOf(name: string, container: object) {
  const metadata = { name, labels: template.metadata.labels };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { ...template.spec, containers: [container] } };
}

/** The pod of a bench-runner on a port of the host. Podman reads secrets in a form of its own, and probes by curl. */
function runnerPod(name: string, hostPort: number, target: string) {
  const own: Record<string, string> = { RINGSIDE_ALLOW_TARGET: target, RINGSIDE_TOKEN: token };
  const env = runner.env.map((each: { name: string }) =>
    each.name in own ? { name: each.name, value: own[each.name] } : each,
  );
  return podOf(name, { ...runner, env, ports: [{ containerPort: 8080, hostPort }] });
}

function targetPod(name: string) {
  const args = ['target', 'ws', '--host', '0.0.0.0', '--port', targetPort];
  return podOf(name, { name: 'target', image: runner.image, args });
}

/** The address of a pod among pods. */
function addressOf(pod: string): string {
  const infra = printed('podman', ['pod', 'inspect', '--format', '{{.InfraContainerID}}', pod]);
  const [{ NetworkSettings }] = JSON.parse(printed('podman', ['inspect', infra]));
  const [network] = Object.values(NetworkSettings.Networks) as { IPAddress: string }[];
  return network?.IPAddress ?? '';
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

describe.skipIf(imageLack)(titled('Podman', imageLack), () => {
  const target = `ringside-test-${process.pid}-target`;
  const runners = [0, 1, 2].map((index) => `ringside-test-${process.pid}-${index}`);

  function play(name: string, pods: readonly object[]): void {
    const file = join(place.folder, name);
    writeFileSync(file, pods.map((pod) => stringify(pod)).join('---\n'));
    printed('podman', ['kube', 'play', file]);
  }

  it('plays three pods, which take part in a run as three shards', async () => {
    onTestFinished(afterwards(`podman pod rm --force --ignore --time 0 ${[target, ...runners].join(' ')}`));
    play('target.yaml', [targetPod(target)]);
    await healthy('podman', `${target}-target`, targetPort);
    const address = addressOf(target);
    const ports = await freePorts(runners.length);
    play(
      'bench-runners.yaml',
      runners.map((name, index) => runnerPod(name, ports[index] ?? 0, address)),
    );
    const containers = runners.map((name) => `${name}-bench-runner`);
    for (const container of containers) await healthy('podman', container);
    for (const { HostConfig } of JSON.parse(printed('podman', ['inspect', ...containers])))
      expect(HostConfig).toMatchObject({ Memory: 2 ** 30, ReadonlyRootfs: true });
    const at = `${address}:${targetPort}`;
    const flags = ['--target-url', `ws://${at}/ws`, '--publish-url', `http://${at}/_broadcast`];
    const ended = await place.run(['run', 'latency', ...splitJob, '--protocol', 'ws-json', ...flags], {
      SHARDS: ports.map((port) => `http://127.0.0.1:${port}`).join(','),
      RINGSIDE_TOKEN: token,
    });
    wholeSplit(ended, 3);
  });
});
