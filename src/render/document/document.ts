/** Names what a text means. A terminal colours it, Markdown marks it, a page gives it a class. */
export type Tone = 'plain' | 'title' | 'aside' | 'good' | 'doubtful' | 'bad';

/** A piece of a line. Code is set as code in Markdown and on a page. */
export interface TextPiece {
  text: string;
  tone?: Tone;
  isCode?: boolean;
}

export type Line = string | TextPiece | readonly (string | TextPiece)[];

/** A table. The columns in `left` are aligned left, by default the first one. */
export interface DataTable {
  head: readonly string[];
  rows: readonly (readonly Line[])[];
  left?: readonly number[];
  /**
   * Form in a terminal that is too narrow: a block for each row (the default) or for each column, the same columns, or
   * columns whose marks stand below their figures.
   */
  ifNarrow?: 'rowBlocks' | 'columnBlocks' | 'columns' | 'twoLines';
}

/** Lines whose spaces align them. Markdown and pages keep the spaces. */
interface Aligned {
  aligned: readonly Line[];
}

/** Named lines. An empty name continues the one above. */
export interface Facts {
  facts: readonly (readonly [name: string, line: Line])[];
  /** Width of the names in a terminal. By default, the longest name and two spaces fit. */
  width?: number;
}

export type Block = Line | DataTable | Aligned | Facts;

/** A part of a document. A terminal separates parts by an empty line. */
export interface Part {
  title?: Line;
  blocks: readonly Block[];
  /** True if no empty line separates it from the part before. */
  isJoined?: boolean;
  /** Markdown and pages fold these details under this name. */
  folded?: string;
  /** True for the answer, with which Markdown and pages begin. */
  isAnswer?: boolean;
  /** `brief`: a terminal leaves it out with the whole answer. `whole`: without it. `exports`: always. */
  only?: 'brief' | 'whole' | 'exports';
}

/** One answer in every form: terminal, Markdown, JUnit and HTML print it. */
export interface Document {
  title: Line;
  /** True if a terminal starts with the first part. Otherwise, that part follows the title directly. */
  isTitleHidden?: boolean;
  parts: readonly Part[];
  /** Documents that a terminal prints before this one, but not in brief. Markdown and pages fold them below it. */
  details?: readonly (Document & { name: string })[];
  /** Ends Markdown and pages: the shape and the version. */
  footer?: readonly string[];
  suites: readonly Suite[];
}

/** A group of checks for JUnit. `timestamp` can be empty. */
export interface Suite {
  name: string;
  timestamp: string;
  seconds: number;
  properties: Readonly<Record<string, string>>;
  checks: readonly Check[];
}

export type FaultKind = 'failure' | 'error' | 'skipped';

/** A test case. Without a fault, it passed. */
export interface Check {
  name: string;
  fault?: { is: FaultKind; type: string; message: string; text: string };
}

export function faulty(name: string, is: FaultKind, type: string, message: string, text = ''): Check {
  return { name, fault: { is, type, message, text } };
}

/** Returns the parts that have blocks, with the answer first. */
export function answerFirst({ parts }: Pick<Document, 'parts'>): Part[] {
  const filled = parts.filter(({ blocks }) => blocks.length > 0);
  return [...filled.filter(({ isAnswer }) => isAnswer), ...filled.filter(({ isAnswer }) => !isAnswer)];
}

/** Returns the heading of a page (titles in the answer, its first line, or the document's title), and the rest. */
export function headed({ title, parts }: Document): { sentence: string; parts: Part[] } {
  const lines = parts.flatMap(({ isAnswer, blocks }) => (isAnswer ? blocks.filter(isSentence) : []));
  const titles = lines.filter((line) => typeof line === 'object' && line.tone === 'title');
  const said = titles.length > 0 ? titles : lines.slice(0, 1);
  const rest = parts.map((part) => ({
    ...part,
    blocks: part.blocks.filter((block) => !said.includes(block as Sentence)),
  }));
  return { sentence: (said.length > 0 ? said : [title]).map(plainText).join(' '), parts: rest };
}

type Sentence = string | TextPiece;

const isSentence = (block: Block): block is Sentence => typeof block === 'string' || 'text' in block;

export const isFacts = (block: Block): block is Facts => typeof block === 'object' && 'facts' in block;
export const isTable = (block: Block): block is DataTable => typeof block === 'object' && 'head' in block;
export const isAligned = (block: Block): block is Aligned => typeof block === 'object' && 'aligned' in block;

export function piecesOf(line: Line): readonly Required<TextPiece>[] {
  const pieces = typeof line === 'string' || 'text' in line ? [line] : line;
  return pieces.map((piece) =>
    typeof piece === 'string'
      ? { text: piece, tone: 'plain', isCode: false }
      : { tone: 'plain', isCode: false, ...piece },
  );
}

export function plainText(line: Line): string {
  return piecesOf(line)
    .map(({ text }) => text)
    .join('');
}

/** Gives a text a meaning: `toned.bad('VOID')`. */
export const toned = {
  title: (text: string): TextPiece => ({ text, tone: 'title' }),
  aside: (text: string): TextPiece => ({ text, tone: 'aside' }),
  good: (text: string): TextPiece => ({ text, tone: 'good' }),
  doubtful: (text: string): TextPiece => ({ text, tone: 'doubtful' }),
  bad: (text: string): TextPiece => ({ text, tone: 'bad' }),
  code: (text: string): TextPiece => ({ text, isCode: true }),
} as const;
