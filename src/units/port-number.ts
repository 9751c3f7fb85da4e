/** Stands for the port that a server is given when it starts. */
export const portPlaceholder = '{port}';
