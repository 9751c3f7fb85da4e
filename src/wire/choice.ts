import { WireEngine } from './engine.js';
import type { NativeAddon } from './native/addon.js';
import { clientsPerTable } from './native/layout.js';
import { NativeEngine } from './native/native-engine.js';
import type { Engine, EngineStats, WireSetup, WireSink } from './wire.js';

export type EngineName = 'native' | 'js';

/** Names the engine for a set of clients. `why` says why `auto` did not choose the native engine. */
export type EngineChoice =
  | { name: 'native'; addon: unknown; openssl: string | undefined }
  | { name: 'js'; why?: string };

/** Describes the work of an engine for its clients. They received `handedOver` deliveries and acknowledgements. */
export interface EngineWork extends EngineStats {
  name: EngineName;
  why?: string;
  handedOver: number;
}

/** Returns the engine that `auto` chooses for `ws://` here. `why` says why it is not the native one. */
export async function engineHere(): Promise<EngineChoice> {
  // The package is an optional dependency, so an installation may lack it.
  const native = await import('ringside-native').catch(() => undefined);
  if (native === undefined) return { name: 'js', why: 'the package ringside-native is not installed' };
  const { addon, lack } = native.loadAddon();
  if (lack !== undefined) return { name: 'js', why: lack };
  return { name: 'native', addon, openssl: (addon as NativeAddon).openssl };
}

/** `openssl` is the version that the native engine uses, if this Node has one for it. */
export interface EngineDescription {
  name: EngineName;
  why?: string;
  openssl?: string;
  clientsPerTable?: number;
}

/** Describes the engine that `auto` chooses in this process, for other processes. */
export async function describeEngine(): Promise<EngineDescription> {
  const choice = await engineHere();
  if (choice.name === 'js') return choice;
  const { name, openssl } = choice;
  return { name, clientsPerTable, ...(openssl !== undefined && { openssl }) };
}

/** Returns the engine for clients of one address. Throws if the native one is requested and not available. */
export async function chooseEngine(asked: EngineName | 'auto', isTls: boolean): Promise<EngineChoice> {
  if (asked === 'js') return { name: 'js' };
  const here = await engineHere();
  const lacksTls = isTls && here.name === 'native' && here.openssl === undefined;
  const choice: EngineChoice = lacksTls ? { name: 'js', why: 'this Node has no OpenSSL 3 for wss://' } : here;
  if (asked === 'native' && choice.name === 'js') throw new Error(`no native engine: ${choice.why}`);
  return choice;
}

/** Creates the chosen engine. Throws for a wrong address, header, scan rule or certificate. */
export function createEngine(choice: EngineChoice, setup: WireSetup, sink: WireSink): Engine {
  return choice.name === 'native' ? new NativeEngine(choice.addon, setup, sink) : new WireEngine(setup, sink);
}
