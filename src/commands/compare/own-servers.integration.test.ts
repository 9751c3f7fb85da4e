import { expect, it, vi } from 'vitest';
import { latencyFlags } from '../../../test/latency.js';
import { metronomeCommand, ownTargetFile } from '../../../test/own-servers.js';
import { workplace } from '../../../test/workplace.js';

const place = workplace();

it.runIf(process.platform === 'linux')(
  'servers of the user’s own end with a driver that is killed, and so does all that they started',
  async () => {
    const command = `${metronomeCommand} --host 127.0.0.1 --port {port} & wait`;
    const file = ownTargetFile(place.folder, 'orphan', '{port}', 'start:', `  command: ${JSON.stringify(command)}`);
    const driver = place.ringside(['run', 'latency', ...file, ...latencyFlags(7, 997)]);
    await driver.said('stderr', / publish /);
    expect(driver.family('metronome/main.js')).toHaveLength(2);
    driver.kill('SIGKILL');
    await vi.waitFor(() => expect(driver.family()).toEqual([]), { timeout: 60_000 });
  },
);

it('servers of the user’s own that does not start says so, with the end of its log', async () => {
  const wrong = ownTargetFile(place.folder, 'wrong', '{port}', 'start: { command: "echo no config >&2; exit 7" }');
  const [problem] = await place.refused(['run', 'latency', ...wrong]);
  expect(problem).toMatchObject({ code: 'targetFailed', message: expect.stringMatching(/wrong.*exit code 7/) });
  expect(problem?.hint).toContain('no config');
});
