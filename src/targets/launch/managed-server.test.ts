import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { targetEnvironment } from './child.js';
import { foreignServer, optionFlags } from './managed-server.js';
import { namedVersion } from './programs.js';

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

it('hands on what finds programs, and no setting of ours', () => {
  vi.stubEnv('PATH', '/somewhere');
  vi.stubEnv('LANG', undefined);
  for (const name of ['NODE_OPTIONS', 'DEBUG', 'GOMAXPROCS', 'ANYCABLE_HISTORY_LIMIT', 'RINGSIDE_TOKEN'])
    vi.stubEnv(name, '7');
  const {
    HOME: _home,
    TMPDIR: _tmpdir,
    LD_LIBRARY_PATH: _libraries,
    ...rest
  } = targetEnvironment({ A: '1', B: '2' }, { B: '3' });
  expect(rest).toEqual({ PATH: '/somewhere', A: '1', B: '3' });
});

it('says why a program names no version in its own first words, without their colours', async () => {
  const script = "printf '\\033[31mno \\033[1mlicence\\033[0m\\nand more\\n' >&2; exit 1";
  expect(await namedVersion('sh', ['-c', script], {}, 'Get one.')).toEqual({
    isAvailable: false,
    why: 'no licence',
    hint: 'Get one.',
  });
});
