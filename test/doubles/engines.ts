import { loadAddon } from 'ringside-native';
import { describe } from 'vitest';
import { WireEngine } from '../../src/wire/engine.js';
import type { NativeAddon } from '../../src/wire/native/addon.js';
import { NativeEngine } from '../../src/wire/native/native-engine.js';
import type { Engine, WireSetup, WireSink } from '../../src/wire/wire.js';

export type EngineMaker = (setup: WireSetup, sink: WireSink) => Engine;

/** What the native engine runs on; undefined where it was not built. */
export const nativeAddon = loadAddon().addon as NativeAddon | undefined;

export const makeJavaScript: EngineMaker = (setup, sink) => new WireEngine(setup, sink);

/** Makes native engines; undefined where the addon was not built. */
export const makeNative: EngineMaker | undefined =
  nativeAddon === undefined ? undefined : (setup, sink) => new NativeEngine(nativeAddon, setup, sink);

/** Declares the same tests over both engines. Those of the native one are skipped where the addon was not built. */
export function overEngines(tests: (make: EngineMaker, isNative: boolean) => void): void {
  describe('JavaScript engine', () => tests(makeJavaScript, false));
  const make = makeNative;
  describe.skipIf(make === undefined)('native engine', () => tests(make as EngineMaker, true));
}
