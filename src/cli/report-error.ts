import { ApiError, ConnectionError } from '../client/errors.ts'
import { CommandError, EXIT, isUsageError, type Terminal } from './command.ts'
import { synopsis } from './help.ts'
import type { CommandSpec } from './spec.ts'

/** A command that ran into the state of the service, with the code that it ends with. */
export class StateError extends Error {
  override readonly name = 'StateError'
  readonly exit: number

  constructor(exit: number, message: string) {
    super(message)
    this.exit = exit
  }
}

/** What to do about a refusal, where its own words do not say. */
const ADVICE: Readonly<Record<string, string>> = {
  unauthorized: 'Set RECTO_API_KEY to a valid key.',
  forbidden: '`recto whoami` tells what the key may do.',
  not_found: 'Check the name, and with `recto whoami` whose key it is.',
  page_deleted: '`recto undelete` brings it back.',
  precondition_required: 'Read the page, and send the version that you read with --version.',
  precondition_failed: 'Leave out --version and --if-match to make it.',
  too_many_requests: 'Wait a little, and do it again.',
  database_unavailable: 'Do it again in a moment.',
  storage_full: 'The disk of the service is full: whoever runs it has to make room.',
  internal_error: 'The log of the service says more.',
}

/** Tells an error in a sentence and what to do; resolves it to an exit code. What is no error of use is thrown on. */
export function reportError(
  error: unknown,
  where: { readonly names: readonly string[]; readonly spec: CommandSpec; readonly terminal: Terminal },
): number {
  const { names, spec, terminal } = where
  const say = (text: string) => terminal.err(`recto: ${text}\n`)
  if (isUsageError(error)) {
    say(`${error.message}\n${synopsis(names, spec)}\n\`recto ${names.join(' ')} --help\` tells more`)
    return EXIT.usage
  }
  if (error instanceof StateError) {
    say(error.message)
    return error.exit
  }
  if (error instanceof CommandError) {
    say(error.message)
    return EXIT.failed
  }
  if (error instanceof ConnectionError) {
    say(`${error.message}. Is Recto running there? RECTO_URL says where it is.`)
    return EXIT.failed
  }
  if (error instanceof ApiError) {
    say(errorText(error))
    return exitOf(error)
  }
  if (isFileError(error)) {
    say(error.message)
    return EXIT.failed
  }
  throw error
}

/** A refusal as a person reads it: what is wrong, where, and what to do. */
export function errorText({ code, message, issues, current, requestId }: ApiError): string {
  if (code === 'precondition_failed' && current) {
    const { version, updatedBy, updatedAt } = current
    return `The page was changed meanwhile: it is version ${version} now, by ${updatedBy.name} at ${updatedAt}. Read it again, and send its version with --version.`
  }
  const places = issues.filter(({ message: place }) => !message.includes(place))
  const lines = [
    message,
    ...places.map(({ path, message }) => `  ${path}: ${message}`),
    ADVICE[code],
    code === 'internal_error' && requestId && `The request was ${requestId}.`,
  ]
  return lines.filter(Boolean).join(places.length > 0 ? '\n' : ' ')
}

/** The exit code of a refusal. */
export function exitOf({ status }: ApiError): number {
  if ([308, 404, 410].includes(status)) return EXIT.absent
  return [409, 412, 428].includes(status) ? EXIT.conflict : EXIT.failed
}

/** Of the file system: its message names the file. */
function isFileError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error && 'path' in error
}
