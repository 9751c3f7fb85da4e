import { fork } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWireEngine } from './engine.js';
import { WireRecorder } from './recorder.js';
import { acceptFor } from './upgrade.js';
import type { WireEngine, WireSetup } from './wire.js';
