import { expect, it } from 'vitest';
import { z } from 'zod';
import { foreignServer, optionFlags } from './managed-server.js';

const schema = z.strictObject({
  holdMs: z.number().default(7).meta({ flag: 'hold', unit: 'duration', help: 'a' }),
  offset: z.number().default(0).meta({ flag: 'offset', help: 'b' }),
  kind: z.enum(['wire', 'library']).default('wire').meta({ flag: 'kind', help: 'c' }),
  isQuick: z.boolean().default(false).meta({ flag: 'quick', help: 'd' }),
  addresses: z.array(z.string()).default([]).meta({ flag: 'address', help: 'e' }),
  name: z.string().optional().meta({ flag: 'name', help: 'f' }),
});

it('writes each value behind its flag, in its unit', () => {
  const values = { holdMs: 1500, offset: -3, kind: 'library', isQuick: true, addresses: ['a', 'b'], name: undefined };
  expect(optionFlags(schema, values)).toEqual([
    '--hold=1.5s',
    '--offset=-3',
    '--kind=library',
    '--quick',
    '--address=a',
    '--address=b',
  ]);
  expect(optionFlags(schema, { isQuick: false, name: '-x' })).toEqual(['--no-quick', '--name=-x']);
});

it('starts a server in another language with the flags of the contract, or says what it lacks', async () => {
  const platforms = [`${process.platform}-${process.arch}`];
  const system = [{ name: 'no-such-program', debian: 'its-package' }];
  const server = { name: 'thing', summary: 'a thing', protocol: 'ws-json', wsPath: '/ws', maxProcesses: 7 };
  const command = () => ['echo', '1.5.3'] as const;
  const target = foreignServer({ ...server, command, needs: [] });
  expect(target.start({ host: '127.0.0.1', port: 7 }, { processes: 3 })).toEqual({
    command: 'echo',
    args: ['1.5.3', '--host', '127.0.0.1', '--port', '7', '--processes', '3'],
    env: {},
  });
  expect(await target.availability()).toEqual({ isAvailable: true, version: '1.5.3 --version' });
  expect(target.on).toBeUndefined();
  const lacking = foreignServer({
    ...server,
    command,
    needs: [{ name: 'thing', title: 'a thing', platforms, system }],
  });
  expect(await lacking.availability()).toEqual({
    isAvailable: false,
    why: expect.stringContaining('no-such-program'),
    hint: expect.stringMatching(/apt-get install .*its-package/),
  });
});
