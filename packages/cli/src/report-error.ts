import { ApiError, ConnectionError } from '@recto/client/transport/errors.ts'
import { actorText } from '@recto/contract/actor-text.ts'
import type { ErrorDefinition } from '@recto/contract/error-definition.ts'
import { toEffect } from '@recto/contract/error-effect.ts'
import { ERRORS } from '@recto/contract/error-table.ts'
import { isFault } from '@recto/contract/errors.ts'
import { CommandError, EXIT, isUsageError, StateError, type Terminal } from './command.ts'
import { synopsis } from './help.ts'
import { fileErrorText } from './input.ts'
import type { CommandSpec } from './spec.ts'

const STATE_CODES: Readonly<Record<number, string>> = { [EXIT.conflict]: 'conflict', [EXIT.notFound]: 'not_found' }

/** Prints an error with advice on standard error, with `json` as JSON; returns the exit code or throws it again. */
export function reportError(
  error: unknown,
  where: {
    readonly names: readonly string[]
    readonly spec: CommandSpec
    readonly terminal: Terminal
    readonly json: boolean
  },
): number {
  const { names, spec, terminal, json } = where
  const { exit, message, details } = buildReport(error)
  if (json) terminal.err(`${JSON.stringify({ ...details, message, exitCode: exit })}\n`)
  else terminal.err(`recto: ${message}\n`)
  if (exit === EXIT.usage && !json) {
    terminal.err(`${synopsis(names, spec)}\n\`recto ${names.join(' ')} --help\` shows the help\n`)
  }
  return exit
}

/** The exit code, the message, and the members of the JSON besides these. */
function buildReport(error: unknown) {
  const report = (exit: number, code: string, text?: string) => ({
    exit,
    message: text ?? (error as Error).message,
    details: { code },
  })
  if (isUsageError(error)) return report(EXIT.usage, 'usage')
  if (error instanceof StateError) return report(error.exit, STATE_CODES[error.exit] ?? 'failed')
  if (error instanceof CommandError) return report(EXIT.failed, 'failed')
  if (isFileError(error)) return report(EXIT.failed, 'failed', `${error.path}: ${fileErrorText(error)}`)
  if (error instanceof ConnectionError) {
    const text = `${error.message}. Is Recto running there? Set RECTO_URL to its URL.`
    return report(EXIT.failed, 'no_connection', text)
  }
  if (error instanceof ApiError) {
    const { status, code, problem } = error
    return { exit: toExitCode(error), message: errorText(error), details: { ...problem, status, code } }
  }
  throw error
}

/** An API error as text: what is wrong, where, and what to do. */
export function errorText({ code, message, issues, current, problem, requestId }: ApiError): string {
  if (code === 'precondition_failed' && current) {
    const { version, updatedBy, updatedAt } = current
    return (
      `It has changed: it is version ${version} now, by ${actorText(updatedBy)} at ${updatedAt}. ` +
      `Read it again, and pass its version with --version.`
    )
  }
  const places = issues.filter(({ message: place }) => !message.includes(place))
  const lines = [
    message,
    ...places.map(({ path, message }) => `  ${path}: ${message}`),
    // A page that has moved is not created anew.
    problem.movedTo === undefined && adviceFor(code, message),
    ...toSteps(problem.nextSteps),
    isFault({ code }) && requestId && `Request ID: ${requestId}.`,
  ]
  return lines.filter(Boolean).join(places.length > 0 ? '\n' : ' ')
}

/** What the service says that the caller can do instead, with the URL for it. */
function toSteps(nextSteps: unknown): string[] {
  // as the API documents it
  const steps = Array.isArray(nextSteps) ? (nextSteps as { text: string; url?: string }[]) : []
  return steps.map(({ text, url }) => (url === undefined ? text : `${text} ${url}`))
}

/** What to do about an API error; a newer service can have codes that the table does not. */
function adviceFor(code: string, message: string): string | undefined {
  // Another key would see neither the missing version of a page nor an unknown webhook.
  if (code === 'not_found' && !message.includes('that you can see')) return undefined
  const table: Readonly<Record<string, ErrorDefinition>> = ERRORS
  return table[code]?.commandAdvice
}

export function toExitCode(error: ApiError): number {
  return { absent: EXIT.notFound, stale: EXIT.conflict, item: EXIT.failed, stop: EXIT.failed }[toEffect(error)]
}

/** An error of the file system; its message names the file. */
function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'path' in error
}
