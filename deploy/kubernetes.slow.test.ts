import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { healthy, imageLack, lackOf, printed, titled } from '../test/engines.js';
import { broadcastBooks, latencyFlags, soundResult } from '../test/latency.js';
import { workplace } from '../test/workplace.js';

const place = workplace();
const pathOf = (name: string): string => fileURLToPath(new URL(`kubernetes/${name}`, import.meta.url));
const manifests = pathOf('bench-runner.yaml');

const helmLack = lackOf('helm', ['version'], 'go install helm.sh/helm/v3/cmd/helm@latest');
const clusterLack = lackOf('kubectl', ['get', '--raw', '/version'], 'kubectl, with a cluster as its current context');

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
});

describe.skipIf(clusterLack)(titled('a cluster', clusterLack), () => {
  it('takes the manifests, and knows every field', () => {
    const created = printed('kubectl', ['apply', '--dry-run=server', '--validate=strict', '--filename', manifests]);
    expect(created.split('\n')).toHaveLength(3);
  });
});

/**
 * The pod for Podman, which has no StatefulSet, reads secrets in a form of its own and probes by curl. A target runs
 * beside the bench-runner, which listens on a port of the host.
 */
function podFor(hostPort: number, token: string) {
  const documents = parseAllDocuments(readFileSync(manifests, 'utf8')).map((each) => each.toJS());
  const { template } = documents.find(({ kind }) => kind === 'StatefulSet').spec;
  const [{ readinessProbe: _, livenessProbe: __, ...runner }] = template.spec.containers;
  const own: Record<string, string> = { RINGSIDE_ALLOW_TARGET: 'loopback', RINGSIDE_TOKEN: token };
  const env = runner.env.map((each: { name: string }) =>
    each.name in own ? { name: each.name, value: own[each.name] } : each,
  );
  const target = { name: 'target', image: runner.image, args: ['target', 'ws', '--port', '3000'] };
  const containers = [{ ...runner, env, ports: [{ containerPort: 8080, hostPort }] }, target];
  const metadata = { name: `ringside-test-${process.pid}`, labels: template.metadata.labels };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { ...template.spec, containers } };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe.skipIf(imageLack)(titled('Podman', imageLack), () => {
  const file = join(place.folder, 'pod.yaml');
  afterAll(() => imageLack ?? printed('podman', ['kube', 'down', file]));

  it('plays the pod, which takes part in a run', async () => {
    const port = await freePort();
    const token = 'of a test';
    const pod = podFor(port, token);
    writeFileSync(file, stringify(pod));
    printed('podman', ['kube', 'play', file]);
    await healthy('podman', `${pod.metadata.name}-bench-runner`);
    await healthy('podman', `${pod.metadata.name}-target`, '3000');
    const [container] = JSON.parse(printed('podman', ['inspect', `${pod.metadata.name}-bench-runner`]));
    expect(container.HostConfig).toMatchObject({ Memory: 2 ** 30, ReadonlyRootfs: true });
    const flags = ['--target-url', 'ws://127.0.0.1:3000/ws', '--publish-url', 'http://127.0.0.1:3000/_broadcast'];
    const ended = await place.run(['run', 'latency', ...latencyFlags(7, 53), '--protocol', 'ws-json', ...flags], {
      SHARDS: `http://127.0.0.1:${port}`,
      RINGSIDE_TOKEN: token,
    });
    const books = broadcastBooks(soundResult(ended));
    expect(books).toMatchObject({ attempted: 53, acked: 53, delivered: 53 * 7, lost: 0 });
  });
});
