import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { RecordingSink } from '../../../test/doubles/session-recorders.js';
import { flowFiles } from '../../../test/flow-files.js';
import { named } from '../../../test/refusal.js';
import { scenarioCalled } from '../../../test/scenarios.js';
import { digestOf } from '../../contract/job.js';
import { protocolByName } from '../../protocols/list.js';
import { packageFile } from '../../units/package-files.js';
import { numberOnly } from '../../units/slots.js';
import { planRun, readOptions, runSchema } from '../plan/plan.js';
import { moduleProblems } from './drive-modules.js';
import {
  isProtocolFile,
  moduleOfProtocol,
  protocolFilesIn,
  readGivenProtocols,
  readProtocols,
  spokenProtocol,
} from './read-protocols.js';

const session = 'session: () => ({ opened() {}, received() {}, subscribe() {} })';
const at = flowFiles({
  'acme.ts': `const name: string = 'acme';\nexport default { name, summary: 'x', verbs: ['subscribe'], ${session} };`,
  'early.ts': `export default { ${session} };\n\nthrow new Error('at line three');`,
  'none.ts': 'export const acme = 7;',
  'targets/targets.yml':
    '- { name: mine, targetUrl: "ws://a.test", protocol: ../acme.ts, publishUrl: "http://a.test" }\n',
  'targets/wrong.yml': 'name: [',
});

const latency = scenarioCalled('latency');
const planned = async (flags: Record<string, unknown>) => {
  const given = { flags, env: {}, file: {} };
  await readGivenProtocols(given);
  return planRun(latency, readOptions(runSchema(latency), given));
};
const url = { targetUrl: 'ws://a.test', publishUrl: 'http://a.test' };

it.each([
  ['./acme.ts', true],
  ['/x/acme.mjs', true],
  ['acme.js', true],
  ['ws-json', false],
  ['acme@0123456789abcdef', false],
  [undefined, false],
])('%s is a file: %s', (value, isFile) => expect(isProtocolFile(value)).toBe(isFile));

it('a plan names a protocol of a file by its digest, which shards get', async () => {
  const { target } = await planned({ ...url, protocol: at('acme.ts') });
  const { name, digest, body } = moduleOfProtocol(target.protocol)!;
  expect([name, digest]).toEqual(['acme.ts', digestOf(body)]);
  expect(target.protocol).toBe(`acme@${digest.slice(0, 16)}`);
  expect(protocolByName(target.protocol)?.verbs).toEqual(['subscribe']);
  const runner = { url: 'http://b.test', info: { allowsModules: false } };
  expect(moduleProblems({ target }, [runner])).toEqual([named('modulesNotAllowed', 'b.test', 'acme.ts')]);
  expect(moduleProblems({ target }, [{ ...runner, info: { allowsModules: true } }])).toEqual([]);
});

it('a target file names it relative to itself', async () => {
  const { target } = await planned({ targetFiles: [at('targets/targets.yml')] });
  expect(target.protocol).toBe(spokenProtocol(at('acme.ts')));
});

it('a file that changed is another protocol', async () => {
  const { target } = await planned({ ...url, protocol: at('acme.ts') });
  writeFileSync(at('acme.ts'), `export default { name: 'acme', summary: 'y', verbs: ['subscribe'], ${session} };`);
  const again = await planned({ ...url, protocol: at('acme.ts') });
  expect(again.target.protocol).not.toBe(target.protocol);
});

it('a verb that it lacks is a problem of the plan', async () => {
  const echo = scenarioCalled('echo');
  const given = { flags: { ...url, protocol: at('acme.ts') }, env: {}, file: {} };
  await readGivenProtocols(given);
  const plan = () => planRun(echo, readOptions(runSchema(echo), given));
  expect(plan).toThrow(expect.objectContaining({ problems: [named('missingVerb', 'echo', 'acme@')] }));
});

it('problems of all files come together, each with its file', async () => {
  const problems = [
    named('badFlow', 'early.ts:3: Error: at line three'),
    named('badFlow', 'none.ts', 'defineProtocol'),
    named('badFlow', 'gone.ts', 'there is none'),
  ];
  const paths = ['early.ts', 'none.ts', 'gone.ts'].map(at);
  await expect(readProtocols(paths)).rejects.toMatchObject({ problems });
});

it('files that cannot be read are left to their reader', () => {
  expect(protocolFilesIn(at('targets/wrong.yml'))).toEqual([]);
  expect(protocolFilesIn(at('targets/targets.yml'))).toEqual([at('acme.ts')]);
});

it('the example of Phoenix joins, beats and refuses as its server asks', async () => {
  const path = packageFile('examples/protocols/phoenix.ts');
  await readProtocols([path]);
  const { session, tickMs } = protocolByName(spokenProtocol(path)!)!;
  const sink = new RecordingSink();
  const client = session(sink, {}, numberOnly(0));
  const received = (message: unknown): void => client.received(Buffer.from(JSON.stringify(message)));
  client.opened('');
  client.subscribe('spring');
  received(['1', '1', 'room:spring', 'phx_reply', { status: 'ok', response: {} }]);
  client.tick?.();
  received([null, '2', 'phoenix', 'phx_reply', { status: 'ok', response: {} }]);
  client.broadcast?.('spring', '{"m":7}');
  received([null, null, 'room:spring', 'presence_state', {}]);
  client.subscribe('none');
  received(['4', '4', 'room:none', 'phx_reply', { status: 'error', response: { reason: 'unmatched topic' } }]);
  expect(sink.lines).toEqual([
    'ready',
    'sent ["1","1","room:spring","phx_join",{}]',
    'subscribed spring',
    'sent [null,"2","phoenix","heartbeat",{}]',
    'sent ["1","3","room:spring","shout",{"m":7}]',
    'sent ["4","4","room:none","phx_join",{}]',
    'refused {"reason":"unmatched topic"}',
  ]);
  expect([tickMs, sink.others.length]).toEqual([30_000, 1]);
});
