import { expect, it } from 'vitest';
import { targetByName } from '../list.js';
import { clientPorts, type Target } from '../target.js';
import { startTarget } from './process.js';

const host = '127.0.0.1';

/** A target whose ports are as `name` has them, run by a script of the test's own: `serve(ports, children)`. */
function scripted(name: string, script: string): Target {
  const prelude = `
    const { createServer } = require('node:http');
    const { spawn } = require('node:child_process');
    const child = () => spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 2, 2] }).pid;
    const given = process.argv.slice(1).map(Number);
    const listen = (port, answer) => new Promise((resolve) => {
      const server = createServer((request, response) => response.end(JSON.stringify(answer())));
      server.listen(port, '${host}', () => resolve(server.address().port));
    });
    const usage = { rssBytes: 7, cpuUserUs: 7, cpuSystemUs: 7, connections: 0 };
    const stats = (processes) => ({
      ...{ pid: process.pid, ...usage, versions: {}, settings: {} },
      processes: processes.map((each) => ({ ...each, ...usage })),
    });
    process.stdin.resume().once('end', () => process.exit());`;
  return {
    ...targetByName(name)!,
    availability: async () => ({ isAvailable: true, version: '7.0' }),
    start: ({ port }, { furtherPorts = [] } = {}) => ({
      command: process.execPath,
      args: ['-e', prelude + script, ...[port, ...furtherPorts].map(String)],
      env: {},
    }),
  };
}

const shared = `
  const children = [child(), child()];
  let port = 0;
  listen(given[0], () => stats([process.pid, ...children].map((pid) => ({ pid, port })))).then((got) => {
    port = got;
    console.log(JSON.stringify({ listening: { port } }));
  });`;

const split = `
  const pid = child();
  let ports = [];
  const answer = () => stats([{ pid: process.pid, port: ports[0] }, { pid, port: ports[1] }]);
  Promise.all([listen(given[0], answer), listen(given[1] ?? 0, answer)]).then((got) => {
    ports = got;
    console.log(JSON.stringify({ listening: { port: ports[0], ports } }));
  });`;

const portOf = (url: string): string => new URL(url).port;

it('serves clients of all its processes on one port, if they share it', async () => {
  const running = await startTarget(scripted('action-cable', shared), { host, processes: 2 });
  const { wsUrls, publishUrl } = running.endpoints;
  expect(wsUrls.map(portOf)).toEqual([portOf(publishUrl)]);
  expect(running.pids).toHaveLength(3);
  await running.stop();
});

it('serves clients on a port of their own, if it is split, and keeps both over a restart', async () => {
  const first = await startTarget(scripted('action-cable-anycable', split), { host });
  const { wsUrls, publishUrl, statsUrl } = first.endpoints;
  expect(wsUrls).toHaveLength(1);
  expect(portOf(wsUrls[0]!)).not.toBe(portOf(publishUrl));
  expect(portOf(statsUrl!)).toBe(portOf(publishUrl));
  const second = await first.restart('SIGKILL');
  expect(second.endpoints).toEqual(first.endpoints);
  await second.stop();
});

it('counts the ports that take clients', () => {
  expect(clientPorts({}, 7)).toBe(7);
  for (const ports of ['shared', 'split'] as const) expect(clientPorts({ ports }, 7)).toBe(1);
});
