import { expect, it } from 'vitest';
import { CopiedTree } from '../test/copied-tree.js';
import { keptResult, workplace } from '../test/workplace.js';

const here = workplace();

const scenario = `import { latency } from '../latency.js';
import type { Scenario } from '../scenario.js';

export const chime: Scenario<typeof latency.options> = { ...latency, name: 'chime', question: 'Does it chime?' };
`;
const protocol = `import type { Protocol } from '../protocol.js';
import { wsJson } from '../described.js';

export const chimeJson: Protocol = { ...wsJson, name: 'chime-json' };
`;
const target = `import { managedServer } from './launch/managed-server.js';

export const chimeServer = managedServer({
  ...{ folder: 'ws', name: 'chime-server', summary: 'chimes', protocol: 'chime-json', wsPath: '/ws' },
});
`;
const command = `import { plain } from '../command.js';

export const command = plain({
  async run(session) {
    session.print('ding\\n');
  },
});
`;

it('a scenario, a protocol, a target and a command are each one file and one entry in a list', async () => {
  const copy = new CopiedTree(here);
  copy.write('src/scenarios/chime/index.ts', scenario);
  copy.list('src/scenarios/list.ts', 'scenarios', 'chime', "import { chime } from './chime/index.js';\n");
  copy.write('src/protocols/chime-json/index.ts', protocol);
  copy.list('src/protocols/list.ts', 'protocols', 'chimeJson', "import { chimeJson } from './chime-json/index.js';\n");
  copy.write('src/targets/chime-server.ts', target);
  copy.list('src/targets/list.ts', 'targets', 'chimeServer', "import { chimeServer } from './chime-server.js';\n");
  copy.write('src/commands/chime/command.ts', command);
  const load = "() => import('../commands/chime/command.js')";
  copy.list('src/cli/commands.ts', 'commands', `measure('chime', 'ring', ${load})`);
  expect(await copy.build().ended).toMatchObject({ code: 0, stdout: '' });
  const check = copy.check();

  const size = ['--clients', '7', '--broadcasts', '11', '--warm-up', '0', '--rate', '50/s', '--ramp-rate', '100/s'];
  const running = copy.ringside('run', 'chime', '--target', 'chime-server', ...size);
  const [docs, chime] = [copy.docs(), copy.ringside('chime')];
  const listed = ['scenarios', 'protocols', 'targets'].map((what) => copy.ringside('list', what, '--json').ended);
  const names = (await Promise.all(listed)).map(({ stdout }) => (JSON.parse(stdout) as { name: string }[])[0]?.name);
  expect(names).toEqual(['chime', 'chime-json', 'chime-server']);
  expect(await chime.ended).toMatchObject({ code: 0, stdout: 'ding\n' });

  const ran = await running.ended;
  const { scenario: ranScenario, target: ranTarget, ledger } = keptResult(ran);
  expect([ranScenario, ranTarget.name, ranTarget.protocol]).toEqual(['chime', 'chime-server', 'chime-json']);
  expect(ledger).toMatchObject({ acked: 11, delivered: 77, lost: 0 });

  expect(await check.ended).toMatchObject({ code: 0, stdout: '' });
  expect(await docs.ended).toMatchObject({ code: 0, stderr: '' });
  expect(copy.read('docs/scenarios.md')).toContain('## chime\n\nDoes it chime?\n');
  expect(copy.read('README.md')).toContain('(docs/scenarios.md#chime)');
});
