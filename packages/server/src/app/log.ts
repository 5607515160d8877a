/** What no line of the log has, as options of pino. */
export const HIDDEN_IN_LOGS = {
  // The pool adds its client to errors: all its statements, and the secret that cancels them.
  redact: { paths: ['err.client'], remove: true },
  // Fastify has the URL in some of its messages, and the URL of a share link is a secret.
  hooks: { streamWrite: (line: string) => line.replace(/\bshr_\w+/g, 'shr_…') },
}
