import { z } from 'zod';
import { withFewCauses } from '../measure/causes.js';
import { longestSentence, outsideRecord, outsideText, outsideValue } from '../units/outside-text.js';

/** A text that a target or a shard chose. */
export const outside = z.string().overwrite((text) => outsideText(text));

/** A sentence that may quote several of them. */
export const outsideSentence = z.string().overwrite((text) => outsideText(text, longestSentence));

/** Sentences, as many as a reader takes in. */
export const outsideSentences = z.array(outsideSentence).overwrite((sentences) => sentences.slice(0, 64));

export const outsideVersions = z
  .record(z.string(), z.string())
  .overwrite((versions) => outsideRecord(versions, (version) => outsideText(version)));

export const outsideSettings = z
  .record(z.string(), z.unknown())
  .overwrite((settings) => outsideRecord(settings, outsideValue));

/** A name that a shard repeats: of a count, series, stage or gate. It may become a part of a path or address. */
export const ourName = z.string().regex(/^[\w:. -]{1,100}$/, 'expected a name of letters, digits, dashes and colons');

/** The books of a run; of what stands there by cause, causes are few. */
export const ledgerEntries = z
  .record(z.string(), z.union([z.number(), z.record(z.string(), z.number())]))
  .overwrite((entries) => {
    const byCause = Object.entries(entries).filter(
      (entry): entry is [string, Record<string, number>] =>
        entry[0].endsWith('ByCause') && typeof entry[1] === 'object',
    );
    return { ...entries, ...withFewCauses({ causes: Object.fromEntries(byCause), timeline: {} }).causes };
  });

/** Events per second by name; names that hold a cause hold one of few. */
export const timelines = z
  .record(z.string(), z.array(z.number()))
  .overwrite((timeline) => withFewCauses({ causes: {}, timeline }).timeline);
