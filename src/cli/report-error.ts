import { ApiError, ConnectionError } from '../client/errors.ts'
import { ERRORS, type ErrorDefinition } from '../error-table.ts'
import { CommandError, EXIT, isUsageError, type Terminal } from './command.ts'
import { synopsis } from './help.ts'
import type { CommandSpec } from './spec.ts'

/** An error with an exit code of its own, such as a conflict. */
export class StateError extends Error {
  override readonly name = 'StateError'
  readonly exit: number

  constructor(exit: number, message: string) {
    super(message)
    this.exit = exit
  }
}

/** Prints an error and what to do about it, and returns the exit code. Internal errors are thrown again. */
export function reportError(
  error: unknown,
  where: { readonly names: readonly string[]; readonly spec: CommandSpec; readonly terminal: Terminal },
): number {
  const { names, spec, terminal } = where
  const print = (text: string) => terminal.err(`recto: ${text}\n`)
  if (isUsageError(error)) {
    print(`${error.message}\n${synopsis(names, spec)}\n\`recto ${names.join(' ')} --help\` shows the help`)
    return EXIT.usage
  }
  if (error instanceof StateError) {
    print(error.message)
    return error.exit
  }
  if (error instanceof CommandError) {
    print(error.message)
    return EXIT.failed
  }
  if (error instanceof ConnectionError) {
    print(`${error.message}. Is Recto running there? Set RECTO_URL to its URL.`)
    return EXIT.failed
  }
  if (error instanceof ApiError) {
    print(errorText(error))
    return exitOf(error)
  }
  if (isFileError(error)) {
    print(error.message)
    return EXIT.failed
  }
  throw error
}

/** An API error as text: what is wrong, where, and what to do. */
export function errorText({ code, message, issues, current, requestId }: ApiError): string {
  if (code === 'precondition_failed' && current) {
    const { version, updatedBy, updatedAt } = current
    return `The page has changed: it is version ${version} now, by ${updatedBy.name} at ${updatedAt}. Read it again, and pass its version with --version.`
  }
  const places = issues.filter(({ message: place }) => !message.includes(place))
  const lines = [
    message,
    ...places.map(({ path, message }) => `  ${path}: ${message}`),
    adviceFor(code),
    code === 'internal_error' && requestId && `Request ID: ${requestId}.`,
  ]
  return lines.filter(Boolean).join(places.length > 0 ? '\n' : ' ')
}

/** What to do about an API error; a newer service can have codes that the table does not. */
function adviceFor(code: string): string | undefined {
  const table: Readonly<Record<string, ErrorDefinition>> = ERRORS
  return table[code]?.commandAdvice
}

/** The exit code of an API error. */
export function exitOf({ status }: ApiError): number {
  if ([308, 404, 410].includes(status)) return EXIT.notFound
  return [409, 412, 428].includes(status) ? EXIT.conflict : EXIT.failed
}

/** An error of the file system; its message names the file. */
function isFileError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error && 'path' in error
}
