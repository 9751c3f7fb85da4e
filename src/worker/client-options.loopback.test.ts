import { expect, it } from 'vitest';
import { z } from 'zod';
import { RecordingEvents } from '../../test/doubles/session-recorders.js';
import { jobBody } from '../../test/stage/job-body.js';
import { payloadFormat } from '../measure/samples/payload.js';
import { clientOptions } from '../protocols/client-options.js';
import { protocolByName, protocolOptions, protocolOptionsOf, protocols } from '../protocols/list.js';
import type { Protocol, ProtocolValues } from '../protocols/protocol.js';
import { parseJob } from '../scenarios/job.js';
import { clientKinds } from '../scenarios/load-options.js';
import { openClients } from './clients.js';

const told: ProtocolValues[] = [];
const wsJson = protocolByName('ws-json') as Protocol;
/** A protocol that nothing else names, with an option that nothing else names. */
const probe: Protocol = {
  ...wsJson,
  name: 'probe',
  options: z.strictObject({ probeColour: z.string().optional().meta({ flag: 'probe-colour', help: 'a colour' }) }),
  session: (sink, options, number) => {
    told.push(options);
    return wsJson.session(sink, options, number);
  },
  libraryClients: (setup, events) => {
    told.push(setup.options);
    return wsJson.libraryClients(setup, events);
  },
};

it.each(clientKinds)('%s clients of a protocol get every option that it declares', async (client) => {
  (protocols as Protocol[]).push(probe);
  const given = { headers: ['X-Pin: 7'], probeColour: 'red' };
  expect(Object.keys(protocolOptionsOf(probe).shape)).toEqual([...Object.keys(clientOptions.shape), 'probeColour']);
  const what = { protocol: 'probe', protocolOptions: given, options: { clients: 31 } };
  const job = parseJob(jobBody({ ...what, wsUrls: ['ws://127.0.0.1:1/'], load: { client } }));
  told.length = 0;
  const format = payloadFormat(job.runId, 200);
  const clients = await openClients(job, format, { first: 0, capacity: 1 }, new RecordingEvents());
  clients.open(0);
  expect(told).toEqual([given]);
  clients.dispose();
  (protocols as Protocol[]).pop();
});

it('a run takes the options of all protocols', () => {
  const declared = protocols.flatMap((protocol) => Object.keys(protocolOptionsOf(protocol).shape));
  expect(new Set(Object.keys(protocolOptions.shape))).toEqual(new Set(declared));
});
