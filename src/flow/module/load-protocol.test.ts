import { afterAll, expect, it } from 'vitest';
import { RecordingSink } from '../../../test/doubles/session-recorders.js';
import { digestOf } from '../../contract/job.js';
import { protocolByName } from '../../protocols/list.js';
import type { Session } from '../../protocols/protocol.js';
import { numberOnly } from '../../units/slots.js';
import { ModuleFolder } from './load-flow.js';
import { digestStart, loadProtocol } from './load-protocol.js';

const folder = new ModuleFolder();
afterAll(() => folder.remove());

/** Loads a protocol with these properties and this body of `session`. Returns its name in runs. */
async function loaded(session: string, properties = "verbs: ['subscribe']"): Promise<string> {
  const code = `import { defineProtocol } from 'ringside-bench/flow';
    export default defineProtocol({ name: 'acme', summary: 'of a test', ${properties},
    session(sink, options, values) { ${session} } });`;
  const digest = digestOf(Buffer.from(code));
  return loadProtocol(await folder.write(digest, code), digest, 'acme.ts');
}

function sessionOf(name: string, sink: RecordingSink): Session {
  return protocolByName(name)!.session(sink, {}, numberOnly(7));
}

const least = 'opened() {}, received() {}, subscribe() {}';

it('a protocol has the start of its digest in its name, and the defaults of a protocol of ours', async () => {
  const name = await loaded(`return { ${least} };`);
  expect(name).toMatch(/^acme@[0-9a-f]{16}$/);
  expect(digestStart(name)).toBe(name.slice('acme@'.length));
  expect(digestStart('ws-json')).toBeUndefined();
  const defaults = { subprotocols: [], defaultPath: '/', library: 'ws', verbs: ['subscribe'] };
  expect(protocolByName(name)).toMatchObject({ name, ...defaults });
});

it('a session gets its calls, and its answers come back', async () => {
  const name = await loaded(
    `return { ${least}, subscribe(stream) { sink.subscribed(stream + values('client')); },
      broadcast: (stream, data) => sink.say(stream + data) };`,
    "verbs: ['subscribe', 'broadcast']",
  );
  const sink = new RecordingSink();
  const session = sessionOf(name, sink);
  session.subscribe('spring');
  expect(session.broadcast?.('a', '{}')).toBe(true);
  session.receivedBinary?.(Uint8Array.of(7));
  expect(sink.lines).toEqual(['subscribed spring7', 'sent a{}', 'refused a binary message']);
});

it('an error of a session refuses its own client', async () => {
  const sink = new RecordingSink();
  const inMethod = await loaded(`return { ${least}, received() { throw new TypeError('no \\u001b[31mway'); } };`);
  sessionOf(inMethod, sink).received(Uint8Array.of());
  const atOnce = await loaded(`if (values('client') === '7') throw new Error('not me'); return { ${least} };`);
  sessionOf(atOnce, sink).opened('');
  expect(sink.lines).toEqual([
    'refused the session threw at acme.ts: TypeError: no way',
    'refused acme.ts: Error: not me',
  ]);
});

it('an error of another function is a fault of the file', async () => {
  const name = await loaded(
    `return { ${least} };`,
    "verbs: [], summary: 'mine', closeMeaning(code) { if (code < 4000) throw new Error(this.summary); return 'x'; }",
  );
  const { closeMeaning } = protocolByName(name)!;
  expect(closeMeaning?.(4007)).toBe('x');
  expect(() => closeMeaning?.(1000)).toThrow(
    expect.objectContaining({ name: 'FlowFault', faults: ['acme.ts: Error: mine'] }),
  );
});

it.each([
  [`return { ${least} };`, "verbs: ['play'], name: 'No', tickMs: 0, foo: 1", ['name', 'verbs.0', 'tickMs', 'foo']],
  [
    `return { ${least} };`,
    "verbs: [], defaultPath: 'ws', markers: { echo: { marker: '' } }",
    ['defaultPath', 'markers'],
  ],
  ['return { opened() {} };', "verbs: ['echo']", ['method received', 'method subscribe', 'method echo']],
  [`return { ${least} };`, "verbs: ['batch']", ['batching']],
  ['return 7;', 'verbs: []', ['received number']],
  ["throw new Error('early');", 'verbs: []', ['Error: early']],
])('%s with %s is refused', async (session, properties, words) => {
  const error = (await loaded(session, properties).catch((thrown: unknown) => thrown)) as { faults: string[] };
  for (const fault of error.faults) expect(fault).toMatch(/^acme\.ts: /);
  for (const word of words) expect(error.faults.join('\n')).toContain(word);
});

it('a module without a protocol is refused', async () => {
  const path = await folder.write('none', 'export const acme = 7;');
  const faults = ['acme.ts: expected `export default defineProtocol({ … })`, received none'];
  await expect(loadProtocol(path, 'none', 'acme.ts')).rejects.toMatchObject({ name: 'FlowFault', faults });
});
