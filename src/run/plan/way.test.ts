import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Certificates, canCertify } from '../../../test/https-front.js';
import type { Problem } from '../../contract/problems.js';
import { scenarioByName } from '../../scenarios/list.js';
import { loadOptions, shownLoad } from '../../scenarios/load-options.js';
import { identitiesOf } from '../../units/text.js';
import type { PlannedTarget } from '../server/planned.js';
import { libraryProblems, proxyOf, withWay } from './way.js';

const scenario = scenarioByName('latency')!;
const options = scenario.options.parse({ clients: 3 }) as Record<string, unknown>;
const target = { isOurs: false, wsUrl: 'wss://a.ring.example/ws', protocol: 'ws-json' } as PlannedTarget;

function planned(given: Record<string, unknown>, env = {}) {
  const problems: Problem[] = [];
  const load = withWay({ scenario, options, load: loadOptions.parse(given) }, target, env, problems);
  return { load, messages: problems.map(({ message }) => message) };
}

describe.skipIf(!canCertify)('certificates of clients', () => {
  let certificates: Certificates;
  const path = (name: string): string => certificates.path(name);

  beforeAll(() => {
    certificates = new Certificates(mkdtempSync(join(tmpdir(), 'ringside-way-')));
    for (const [client, name] of ['server', 'client', 'old'].entries()) {
      writeFileSync(path(`${client}.pem`), certificates.text(`${name}.pem`));
      writeFileSync(path(`${client}.key`), certificates.text(`${name}.key`));
    }
  });
  afterAll(() => rmSync(certificates.folder, { recursive: true }));

  it('are read before the run, one for all or one for each', () => {
    const one = planned({ targetCert: path('client.pem'), targetKey: path('client.key') });
    expect(identitiesOf(one.load.targetCert, 3, (client) => client)).toEqual([
      certificates.text('client.pem', 'client.key'),
    ]);
    const each = planned({ targetCert: path('{client}.pem'), targetKey: path('{client}.key') });
    expect(identitiesOf(each.load.targetCert, 2, (client) => client + 1)).toEqual([
      certificates.text('client.pem', 'client.key'),
      certificates.text('old.pem', 'old.key'),
    ]);
    expect([one, each].map(({ load, messages }) => [load.targetKey, messages])).toEqual(Array(2).fill([undefined, []]));
    const shown = { ...shownLoad(each.load) };
    expect([shown.targetCert, 'targetKey' in shown]).toEqual(['(hidden)', false]);
  });

  it.each([
    ['without its file', '{client}.pem', 'none-{client}.key', 'none-0.key'],
    ['of another key', '0.pem', '1.key', 'the key is of another certificate'],
    ['without a key', '0.pem', undefined, '0.pem'],
  ])('are refused %s', (_what, cert, key, why) => {
    const given = { targetCert: path(cert), ...(key && { targetKey: path(key) }) };
    const { messages } = planned(given);
    expect(messages).toEqual([expect.stringContaining(why)]);
    expect(messages.join()).not.toContain('BEGIN');
  });

  it('are not there with a key alone', () => {
    expect(planned({ targetKey: 'a.key' }).messages).toEqual([expect.stringContaining('--target-cert')]);
  });
});

describe('the proxy', () => {
  const env = {
    HTTPS_PROXY: 'http://user:hush@secure:3128',
    http_proxy: 'plain:3128',
    NO_PROXY: 'b.example, .own, c.example:8443 [::1]:80, ::2',
  };

  it.each([
    ['wss://a.ring.example/', 'http://user:hush@secure:3128'],
    ['ws://a.ring.example/', 'plain:3128'],
    ['ws://b.example/', undefined],
    ['ws://x.b.example/', undefined],
    ['ws://xb.example/', 'plain:3128'],
    ['wss://c.example:8443/', undefined],
    ['ws://c.example/', 'plain:3128'],
    ['ws://[::1]/', undefined],
    ['ws://[::1]:81/', 'plain:3128'],
    ['ws://[::2]:81/', undefined],
  ])('of the environment for %s is %s', (url, proxy) => {
    const problems: Problem[] = [];
    expect([proxyOf(env, url, problems), problems]).toEqual([proxy, []]);
  });

  it('is taken from the environment only where asked for', () => {
    expect(planned({}, env).load.proxy).toBeUndefined();
    expect(shownLoad(planned({ proxy: 'env' }, env).load).proxy).toBe('secure:3128');
    expect(planned({ proxy: 'env' }).messages).toEqual([expect.stringContaining('HTTPS_PROXY')]);
    const { messages } = planned({ proxy: 'env' }, { HTTPS_PROXY: 'socks5://user:hush@host' });
    expect(messages).toEqual([expect.not.stringContaining('hush')]);
  });

  it.each(['https://host:1', 'http://host:1/path', 'socks5://host', ''])('is not %s', (proxy) => {
    expect(loadOptions.safeParse({ proxy }).success).toBe(false);
  });

  it('shows no user and no password, however often', () => {
    const once = shownLoad(loadOptions.parse({ proxy: 'http://user:p@ss@host:3128' }));
    expect([once.proxy, shownLoad(loadOptions.parse(once)).proxy]).toEqual(['host:3128', 'host:3128']);
  });
});

it('a real library takes none of it', () => {
  const given = { client: 'library', compression: 'offer', tlsResume: 'own', targetCert: 'a', proxy: 'host:1' };
  expect(libraryProblems(loadOptions.parse(given)).map(({ message }) => message.split(':')[0])).toEqual([
    '--tls-resume',
    '--target-cert',
    '--proxy',
    '--compression',
  ]);
  expect(libraryProblems(loadOptions.parse({ ...given, client: 'wire' }))).toEqual([]);
});
