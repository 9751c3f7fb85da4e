import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { type OwnServer, ownServer } from './launch/managed-server.js';
import { startTarget } from './launch/process.js';
import { TargetStartError } from './launch/readiness.js';
import { ask } from './launch/stats.js';

const host = '127.0.0.1';

/** Answers 200 at once, with its process as the body; `$REPLY` is what it answers beside that. */
const script = `require('node:http').createServer((_, answer) => answer.end(process.pid + ' ' + process.env.REPLY))
  .listen(process.env.PORT, '127.0.0.1')`;
const program = `'${process.execPath}' -e "${script}"`;

function own(more: Partial<OwnServer>) {
  const urls = { wsUrl: 'ws://127.0.0.1:{port}/ws', publishUrl: 'http://127.0.0.1:{port}/_broadcast' };
  const common = { name: 'mine', protocol: 'ws-json', settings: {}, directory: tmpdir(), environment: {}, urls };
  return ownServer({ ...common, command: program, ...more });
}

const said = async (url: string): Promise<string> => (await ask(url, { withinMs: 5000 })).text;

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('a server of the user’s own', () => {
  it('has its environment and a port of its own, and ends with the shell that started it', async () => {
    // The second command keeps the shell: it waits for a server that is no shell.
    const target = own({ command: `${program} & wait`, environment: { REPLY: 'at {port}' } });
    const [one, twin] = await Promise.all([startTarget(target, { host }), startTarget(target, { host })]);
    const answers = await Promise.all([one, twin].map(({ endpoints }) => said(endpoints.publishUrl)));
    const ports = [one, twin].map(({ endpoints }) => new URL(endpoints.wsUrl).port);
    expect(answers.map((each) => each.split(' ').slice(1).join(' '))).toEqual(ports.map((port) => `at ${port}`));
    expect(ports[0]).not.toBe(ports[1]);
    await Promise.all([one.stop(), twin.stop()]);
    const servers = answers.map((each) => Number.parseInt(each, 10));
    expect(servers.map((pid) => [pid === one.pid || pid === twin.pid, isAlive(pid)])).toEqual([
      [false, false],
      [false, false],
    ]);
  });

  it('keeps its port over a restart, which brings another process', async () => {
    const running = await startTarget(own({}), { host });
    const { publishUrl } = running.endpoints;
    const before = Number.parseInt(await said(publishUrl), 10);
    const again = await running.restart('SIGKILL');
    const after = Number.parseInt(await said(publishUrl), 10);
    await again.stop();
    expect([again.endpoints.publishUrl, before === after, isAlive(before)]).toEqual([publishUrl, false, false]);
  });

  it('that ends is no target, and its log says why', async () => {
    const error = await startTarget(own({ command: 'echo no config; exit 7' }), { host }).catch((fault) => fault);
    expect(error).toBeInstanceOf(TargetStartError);
    expect([error.code, error.hint]).toEqual(['ended', expect.stringContaining('no config')]);
  });
});
