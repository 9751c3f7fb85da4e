import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { afterwards } from '../test/afterwards.js';
import { healthy, imageLack, lackOf, printed, titled } from '../test/engines.js';
import { targetFlags } from '../test/latency.js';
import { splitJob, wholeSplit } from '../test/split-job.js';
import { workplace } from '../test/workplace.js';

const place = workplace();
const name = 'ringside-bench-runner.service';
const unit = fileURLToPath(new URL(`systemd/${name}`, import.meta.url));
const analyzeLack = lackOf('systemd-analyze', ['--version'], 'apt-get install systemd');

describe.skipIf(analyzeLack)(titled('systemd', analyzeLack), () => {
  it('understands every line of the unit', () => {
    expect(printed('systemd-analyze', ['verify', unit])).toBe('');
  });

  it('calls its exposure low', () => {
    // Out of 100: from 23 on it says "medium" where a service may use the network and compile code.
    printed('systemd-analyze', ['security', '--offline=yes', '--threshold=20', unit]);
  });
});

const systemImage = 'ringside-systemd';
const systemLack =
  imageLack ??
  lackOf(
    'podman',
    ['image', 'exists', systemImage],
    `podman build --tag ${systemImage} --file test/engines/systemd.Dockerfile .`,
  );

describe.skipIf(systemLack)(titled('a system', systemLack), () => {
  const system = `ringside-test-${process.pid}`;
  const inside = (...command: string[]): string => printed('podman', ['exec', system, ...command]);

  it('starts the unit, which takes part in a run and ends well', async () => {
    onTestFinished(afterwards(`podman rm --force --time 0 ${system}`));
    const volume = `${unit}:/etc/systemd/system/${name}:ro`;
    const flags = ['--privileged', '--systemd=always', '--publish', '127.0.0.1::8080', '--volume', volume];
    printed('podman', ['run', '--detach', '--name', system, ...flags, systemImage]);
    inside('sh', '-c', 'echo RINGSIDE_TOKEN=of-a-test > /etc/ringside/bench-runner.env');
    inside('systemctl', 'start', name);
    await healthy('podman', system);
    const pid = inside('systemctl', 'show', '--value', '--property=MainPID', name);
    expect(Number(inside('stat', '--format=%u', `/proc/${pid}`))).toBeGreaterThan(0);

    printed('podman', ['exec', '--detach', system, 'ringside', 'target', 'ws', '--port', '3000']);
    await healthy('podman', system, '3000');
    const env = { SHARDS: `http://${printed('podman', ['port', system, '8080'])}`, RINGSIDE_TOKEN: 'of-a-test' };
    wholeSplit(await place.run(['run', 'latency', ...splitJob, ...targetFlags({ port: 3000 })], env), 1);

    inside('systemctl', 'stop', name);
    const ended = inside('systemctl', 'show', '--property=Result,ExecMainStatus', name).split('\n');
    expect(ended.sort()).toEqual(['ExecMainStatus=0', 'Result=success']);
  });
});
