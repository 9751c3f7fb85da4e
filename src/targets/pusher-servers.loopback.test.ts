import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { familyOf } from '../../test/family.js';
import { testable } from '../../test/testable.js';
import { startTarget } from './launch/process.js';
import { soketi } from './pusher-servers.js';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ringside-soketi-')));
afterAll(() => rmSync(folder, { recursive: true }));

const there = await testable(soketi);

describe.skipIf(!there.isAvailable)(there.isAvailable ? 'soketi' : `soketi is not here: ${there.why}`, () => {
  it('starts, greets a client of its application, and leaves no process', async () => {
    const running = await startTarget(soketi, { host: '127.0.0.1', env: { TMPDIR: folder } });
    expect(running.versions).toEqual({ soketi: '1.6.1' });
    const socket = new WebSocket(running.endpoints.wsUrl);
    const [greeting] = (await once(socket, 'message')) as [Buffer];
    expect(JSON.parse(String(greeting))).toMatchObject({ event: 'pusher:connection_established' });
    socket.terminate();
    expect(familyOf(folder).map(({ pid }) => pid)).toContain(running.pid);
    await running.stop();
    expect(familyOf(folder)).toEqual([]);
  });
});
