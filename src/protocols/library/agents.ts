import { Agent as HttpAgent } from 'node:http';
import { type AgentOptions, Agent as HttpsAgent } from 'node:https';
import { createSecureContext, rootCertificates } from 'node:tls';
import { type ClientUpgrade, filledUpgrade } from '../../units/client-upgrade.js';
import { valuesIn } from '../../units/slots.js';
import type { LibrarySetup } from '../protocol.js';

/** Picks client i's agent, one per local address; undefined if the setup asks for neither addresses nor trust. */
export function agentPicker(setup: LibrarySetup): (client: number) => HttpAgent | undefined {
  const { localAddresses, caPem, isInsecure } = setup;
  if (localAddresses.length === 0 && caPem === undefined && !isInsecure) return () => undefined;
  const sources = localAddresses.length === 0 ? [{}] : localAddresses.map((localAddress) => ({ localAddress }));
  const agents = setup.url.startsWith('wss:')
    ? secureAgents(setup, sources)
    : sources.map((source) => new HttpAgent(source));
  return (client) => agents[client % agents.length];
}

function secureAgents({ caPem, isInsecure }: LibrarySetup, sources: readonly AgentOptions[]): HttpAgent[] {
  // One parsed store for all: authorities in the options would be parsed for every connection.
  const secureContext = createSecureContext(caPem === undefined ? {} : { ca: [...rootCertificates, caPem] });
  // No session cache: no client may resume another's TLS session.
  const shared = { secureContext, rejectUnauthorized: !isInsecure, maxCachedSessions: 0 };
  return sources.map((source) => new HttpsAgent({ ...source, ...shared }));
}

/** A client's own upgrade, with its values filled in. */
export function upgradeOf(setup: LibrarySetup, client: number): ClientUpgrade & { headers: Record<string, string> } {
  const filled = filledUpgrade(setup, valuesIn(setup, client));
  return { ...filled, headers: { ...filled.headers } };
}
