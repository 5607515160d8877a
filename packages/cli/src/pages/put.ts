import type { NewPage } from '@recto/client/operations/pages.ts'
import { ApiError } from '@recto/client/transport/errors.ts'
import type { WrittenPage } from '@recto/client/types.ts'
import { actorText } from '@recto/contract/actor-text.ts'
import { given } from '@recto/lib/given.ts'
import { decodeUtf8 } from '@recto/lib/json/json.ts'
import { proposalIn } from '../change-requests/request-name.ts'
import { type CommandCall, EXIT, StateError, UsageError } from '../command.ts'
import { openClient } from '../connection.ts'
import { readInput } from '../input.ts'
import { keyValue, typedValue } from '../metadata/metadata-words.ts'
import { printResult } from '../print.ts'
import { readIfMatch } from '../spec.ts'
import { pageNamed } from './page-name.ts'

interface PageParts {
  readonly body: Uint8Array | undefined
  readonly note: string | undefined
  readonly template: string | undefined
  readonly variables: Record<string, string> | undefined
  /** Texts as they were typed. */
  readonly metadata: Record<string, string> | undefined
}

/** `recto put`: writes a page from a file, standard input or a template. */
export async function putCommand(call: CommandCall): Promise<void> {
  const { terminal } = call
  const { space, path } = pageNamed(call.arg('page'), terminal)
  const ifMatch = readIfMatch(call)
  const note = call.option('note')
  const [template, variables, metadata] = [call.option('template'), pairs(call, 'var'), pairs(call, 'meta')]
  const file = call.optional('file')
  checkCombination({ template, variables, metadata, file, ifMatch })
  const proposal = proposalIn(call)
  const client = openClient(terminal)
  const body = template === undefined ? await readInput(terminal, file) : undefined
  const writtenPage =
    template === undefined && !metadata
      ? client.pages.put(space, path, body ?? '', {
          note,
          ...proposal,
          ...(ifMatch === undefined ? { createOnly: true } : { ifMatch }),
        })
      : client.pages.create(space, path, newPage({ body, note, template, variables, metadata }), proposal)
  const page = await writtenPage.catch((error) =>
    explainConflict(error, call.arg('page'), ifMatch, 'read it first and pass'),
  )
  printWritten(call, page)
}

/** Prints the result of a write. */
export function printWritten(call: CommandCall, page: WrittenPage): void {
  const { created, space, path, version, url, changeRequest } = page
  if (changeRequest) {
    printResult(call, page, `Proposed ${space}/${path} in change request ${changeRequest.number}: ${changeRequest.url}`)
    return
  }
  printResult(call, page, `${created ? 'Created' : 'Updated'} ${space}/${path}, version ${version}: ${url}`)
}

function checkCombination(
  parts: Pick<PageParts, 'template' | 'variables' | 'metadata'> & {
    readonly file: string | undefined
    readonly ifMatch: string | number | undefined
  },
): void {
  const { template, variables, metadata, file, ifMatch } = parts
  if (template !== undefined && file !== undefined) throw new UsageError('--template cannot be combined with a file')
  if (template === undefined && variables) throw new UsageError('--var requires --template')
  if (ifMatch !== undefined && (template !== undefined || metadata)) {
    throw new UsageError('--template and --meta are for new pages; --version and --if-match are for existing pages')
  }
}

function newPage({ body, note, template, variables, metadata }: PageParts): NewPage {
  const typedEntries = Object.entries(metadata ?? {}).map(([key, text]) => [key, typedValue(text)])
  return given({
    body: body && utf8(body),
    note,
    template,
    variables,
    metadata: metadata && Object.fromEntries(typedEntries),
  })
}

function pairs(call: CommandCall, name: string): Record<string, string> | undefined {
  const words = call.list(name)
  return words.length === 0 ? undefined : Object.fromEntries(words.map((word) => keyValue(word, `--${name}`)))
}

/** Explains that a page or file exists, which the caller did not expect, and how to replace it. */
export function explainConflict(
  error: unknown,
  name: string,
  ifMatch: string | number | undefined,
  how: string,
): never {
  if (ifMatch !== undefined || !(error instanceof ApiError) || !error.current) throw error
  const { version, updatedBy, updatedAt } = error.current
  throw new StateError(
    EXIT.conflict,
    `${name} exists: version ${version}, by ${actorText(updatedBy)} at ${updatedAt}. ` +
      `To replace it, ${how} --version ${version}`,
  )
}

function utf8(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes)
  if (text === undefined) throw new StateError(EXIT.failed, 'The text is not UTF-8.')
  return text
}
