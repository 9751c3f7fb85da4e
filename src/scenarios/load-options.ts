import { z } from 'zod';
import { engineChoices } from '../contract/engine.js';
import { defaultMaxRawSamples } from '../measure/samples/recorder.js';
import { under, withoutSecretValues } from '../options/option.js';
import { isProxy } from '../units/addresses.js';
import { parseCompression } from '../units/http.js';
import { choiceOption, countOption, durationOption, optionalCount } from './options.js';

export const clientKinds = ['wire', 'library'] as const;

const clientsPerLoop = 250;

/** Returns one event loop for every two cores, because the target needs the others, and for at least 250 clients. */
export function defaultWorkers(clients: number, cores: number): number {
  return Math.max(1, Math.min(Math.floor(cores / 2), Math.ceil(clients / clientsPerLoop)));
}

const client = choiceOption('client', clientKinds, 'wire', 'lean wire clients, or the protocol’s real client library');

/** Options of the load of a command that sets the kind of clients itself. */
export const loadOptionsOfBothKinds = z.strictObject(
  under('Rig:', {
    engine: choiceOption('engine', engineChoices, 'auto', 'of wire clients: native if possible, native, or JavaScript'),
    workers: optionalCount('workers', [1, 256], 'event loops per shard for subscribers; default: half the cores'),
    connectTimeoutMs: durationOption('connect-timeout', 10_000, [1, 600_000], 'for TCP, TLS and the upgrade'),
    subscribeTimeoutMs: durationOption('subscribe-timeout', 10_000, [1, 600_000], 'for the confirmed subscription'),
    publishTimeoutMs: durationOption('publish-timeout', 10_000, [1, 600_000], 'for the answer to a publish'),
    maxInFlight: countOption('max-in-flight', 64, [1, 4096], 'unanswered publishes of one shard; further ones wait'),
    localAddresses: z.array(z.string()).default([]).meta({
      flag: 'local-address',
      placeholder: 'address',
      help: 'source address or range, repeatable; loopback uses eight or more',
    }),
    caPem: z.string().optional().meta({
      flag: 'ca',
      placeholder: 'file',
      help: 'PEM file of further certificate authorities to trust',
    }),
    tlsResume: choiceOption(
      'tls-resume',
      ['none', 'shared', 'own'],
      'none',
      'TLS session that wire clients resume: none, the newest, or their own',
    ),
    /** A file name on the command line. In a job, a key and its certificates for all, or for each client. */
    targetCert: z.string().optional().meta({
      flag: 'target-cert',
      placeholder: 'file',
      isSecret: true,
      help: 'PEM certificate that wire clients show, with `{client}` one each',
    }),
    targetKey: z.string().optional().meta({
      flag: 'target-key',
      placeholder: 'file',
      isSecret: true,
      help: 'PEM key of --target-cert, if that file has none',
    }),
    proxy: z
      .string()
      .refine(isProxy, { error: 'expected http://host:port, perhaps with user:password@, or env' })
      .optional()
      .meta({
        flag: 'proxy',
        placeholder: 'url',
        isSecret: true,
        shown: (text: string) => ({ proxy: text.replace(/^(?:http:\/\/)?(?:.*@)?/, '') }),
        help: 'HTTP proxy of wire clients; env takes that of the environment',
      }),
    clientsPerHttp2: optionalCount('http2', [1, 100_000], 'wire clients that share an HTTP/2 connection (RFC 8441)'),
    compression: choiceOption('compression', ['off', 'offer', 'require'], 'off', 'permessage-deflate of wire clients'),
    compressionOptions: z
      .string()
      .default('client_max_window_bits')
      .refine((text) => parseCompression(text, true) !== undefined, {
        error:
          'expected parameters of permessage-deflate, such as server_no_context_takeover; server_max_window_bits=10',
      })
      .meta({ flag: 'compression-options', placeholder: 'parameters', help: 'parameters that --compression offers' }),
    isInsecure: z.boolean().default(false).meta({ flag: 'insecure', help: 'accept any TLS certificate of the target' }),
    leaseMs: durationOption('lease', 30_000, [1000, 600_000], 'longest silence of the driver that a run survives'),
    samplesCap: countOption(
      'samples-cap',
      defaultMaxRawSamples,
      [1000, 200_000_000],
      'raw samples per metric and worker; beyond this, a 3-digit histogram',
    ),
  }),
);

/** Options of the load, for every scenario. Every `run` takes them and every job includes them. */
export const loadOptions = z.strictObject({ ...under('Rig:', { client }), ...loadOptionsOfBothKinds.shape });

export type LoadOptions = z.output<typeof loadOptions>;

/** Returns the load as results show it. It says the host and port of a proxy, and that clients have certificates. */
export function shownLoad(load: LoadOptions): LoadOptions {
  return withoutSecretValues(loadOptions, load) as LoadOptions;
}
