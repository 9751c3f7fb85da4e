import { z } from 'zod';
import { minPayloadBytes } from '../../measure/samples/payload.js';

/** Subscribers of the one stream; `when` says at which moment of the run, after a blank. */
export const subscribersOf = (when = '') =>
  z
    .number()
    .int()
    .min(1)
    .max(10_000_000)
    .default(1000)
    .meta({
      flag: 'subscribers',
      unit: 'count',
      help: `clients subscribed to the one stream${when}, all shards together`,
    });

/** The length of what is sent, in words. */
export const payloadBytesOf = (what: string) =>
  z
    .number()
    .int()
    .min(minPayloadBytes)
    .max(1_000_000)
    .default(200)
    .meta({ flag: 'payload', unit: 'bytes', help: `length of ${what}, equal to the byte for every target` });

/** Of every broadcast. */
export const payloadBytes = payloadBytesOf('each broadcast’s data');
