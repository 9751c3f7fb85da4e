import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { resolveOptions } from '../src/options/resolve.js';
import { AllowList, type RunnerOptions, runnerOptions } from '../src/runner/allow-list.js';
import { duration } from '../src/units/unit.js';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

/** What a bench-runner does unless an option says otherwise. */
const { port, lingerMs } = runnerOptions.parse({});
const dockerfile = read('../Dockerfile');
const [, user = ''] = [...dockerfile.matchAll(/^USER (\d+):\1$/gm)].at(-1) ?? [];

/** The options of a bench-runner with such variables. Each variable must be one of an option. */
function optionsWith(env: Record<string, string>): RunnerOptions {
  const given = resolveOptions(runnerOptions, { env });
  expect(given).toMatchObject({ ok: true });
  expect(Object.values(given.sources).filter((source) => source === 'environment')).toHaveLength(
    Object.keys(env).length,
  );
  const values = given.values as RunnerOptions;
  expect(new AllowList(values.allowTargets).entries).toEqual(values.allowTargets);
  return values;
}

describe('the image', () => {
  it('listens where a bench-runner does, and asks that port for its health', () => {
    expect(dockerfile).toContain(`EXPOSE ${port}\n`);
    expect(read('image/ringside-healthy')).toContain(`\${1:-\${RINGSIDE_PORT:-${port}}}`);
    expect(dockerfile).toMatch(/^HEALTHCHECK .*CMD \["ringside-healthy"\]$/m);
  });
});

describe('the Compose file', () => {
  const { services } = parse(read('compose.yaml'), { merge: true });
  const { 'bench-runner': runner, target } = services;

  it('publishes the port of a bench-runner, and gives it a name that it may load', () => {
    expect(Object.keys(services)).toEqual(['bench-runner', 'target']);
    expect(runner.ports).toEqual([`127.0.0.1::${port}`]);
    expect(optionsWith(runner.environment)).toMatchObject({ port, lingerMs, allowTargets: ['target'] });
  });

  it('limits and locks down every container', () => {
    for (const service of [runner, target]) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], tmpfs: ['/tmp'] });
      expect(Object.keys(service.deploy.resources.limits)).toEqual(['cpus', 'memory']);
      expect(service.healthcheck.test).toMatch(/^ringside-healthy( 3000)?$/);
      expect(service).not.toHaveProperty('container_name');
    }
    expect(target.command).toMatch(/^target ws .*--port 3000$/);
  });

  it('stops later than a bench-runner lingers', () => {
    expect(duration.parse(runner.stop_grace_period)).toBeGreaterThan(lingerMs);
  });
});

describe('the manifests for Kubernetes', () => {
  const documents = parseAllDocuments(read('kubernetes/bench-runner.yaml')).map((each) => each.toJS());
  const [policy, service, set] = ['NetworkPolicy', 'Service', 'StatefulSet'].map((kind) =>
    documents.find((each) => each.kind === kind),
  );
  const pod = set.spec.template;
  const [container] = pod.spec.containers;
  const labels = { 'app.kubernetes.io/name': 'ringside-bench-runner' };

  it('are named alike, and find each other by one label', () => {
    expect(documents.map(({ kind }) => kind).sort()).toEqual(['NetworkPolicy', 'Service', 'StatefulSet']);
    expect(documents.map(({ metadata }) => metadata)).toEqual(Array(3).fill({ name: 'bench-runner', labels }));
    expect(set.spec).toMatchObject({ serviceName: 'bench-runner', selector: { matchLabels: labels } });
    expect(pod.metadata.labels).toEqual(labels);
    expect(service.spec).toMatchObject({ clusterIP: 'None', selector: labels });
    expect(policy.spec.podSelector.matchLabels).toEqual(labels);
  });

  it('reach a bench-runner at its port', () => {
    expect(container.ports).toEqual([{ name: 'http', containerPort: port }]);
    expect(service.spec.ports).toEqual([{ name: 'http', port, targetPort: 'http' }]);
    expect(policy.spec.ingress[0].ports).toEqual([{ port: 'http' }]);
    for (const probe of ['readinessProbe', 'livenessProbe'])
      expect(container[probe].httpGet).toEqual({ path: '/health', port: 'http' });
    const given = container.env.filter((each: { value?: string }) => each.value !== undefined);
    const env = Object.fromEntries(given.map(({ name, value }: Record<string, string>) => [name, value]));
    expect(optionsWith(env)).toMatchObject({ port, lingerMs, host: '0.0.0.0' });
    expect(pod.spec.terminationGracePeriodSeconds * 1000).toBeGreaterThan(lingerMs);
  });

  it('take the token from the secret `ringside`', () => {
    const token = container.env.find(({ name }: { name: string }) => name === 'RINGSIDE_TOKEN');
    expect(token.valueFrom).toEqual({ secretKeyRef: { name: 'ringside', key: 'token' } });
  });

  it('run as the user of the image, with limits, and write to /tmp alone', () => {
    expect(pod.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: Number(user) });
    expect(container.securityContext).toMatchObject({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container.volumeMounts).toEqual([{ name: 'tmp', mountPath: '/tmp' }]);
    expect(container.resources.limits).toEqual(container.resources.requests);
    expect(Object.keys(container.resources.limits)).toEqual(['cpu', 'memory']);
  });
});

it('gives the chart the version of the package', () => {
  const { version } = JSON.parse(read('../package.json'));
  expect(parse(read('kubernetes/chart/Chart.yaml'))).toMatchObject({ version, appVersion: version });
  expect(read('kubernetes/bench-runner.yaml')).toContain(`image: "ringside:${version}"\n`);
});

describe('the unit of systemd', () => {
  const unit = read('systemd/ringside-bench-runner.service');
  const settingOf = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';

  it('starts a bench-runner, and stops it later than it lingers', () => {
    expect(settingOf('ExecStart')).toMatch(/ ringside bench-runner$/);
    const [name = '', value = ''] = settingOf('Environment').split('=');
    expect(optionsWith({ [name]: value })).toMatchObject({ port, lingerMs, host: '0.0.0.0' });
    expect(duration.parse(settingOf('TimeoutStopSec'))).toBeGreaterThan(lingerMs);
  });

  it('has a user of its own, and descriptors for the clients that a bench-runner takes', () => {
    expect([settingOf('DynamicUser'), settingOf('ProtectSystem')]).toEqual(['yes', 'strict']);
    expect(Number(settingOf('LimitNOFILE'))).toBeGreaterThan(runnerOptions.parse({}).maxClients);
  });
});

describe('railway.json', () => {
  const { build, deploy } = JSON.parse(read('../railway.json'));

  it('starts what the image starts, and stops it later than it lingers', () => {
    expect(readdirSync(new URL('..', import.meta.url))).toContain(build.dockerfilePath);
    const [program = ''] = /node dist\S+/.exec(deploy.startCommand) ?? [];
    expect(dockerfile).toContain(`exec ${program} `);
    expect(deploy.startCommand).toContain(`--port \${PORT:-${port}}`);
    expect(deploy.healthcheckPath).toBe('/health');
    expect(deploy.drainingSeconds * 1000).toBeGreaterThan(lingerMs);
  });
});
