/** What a child process can be asked to do, by name. */
export type Commands = Record<string, (order: never) => unknown>;

/** One question to a child process; the answer is a message of its own. */
export interface Question {
  name: string;
  order: unknown;
}

/** Answers questions until the parent disconnects or ends. A command that throws ends this process. */
export function serve(commands: Commands): void {
  const byName = commands as Record<string, (order: unknown) => unknown>;
  const answer = async ({ name, order }: Question): Promise<void> => {
    process.send?.({ answer: await byName[name]?.(order) });
  };
  process.on('message', (question: Question) => void answer(question));
  process.on('disconnect', () => process.exit());
}
