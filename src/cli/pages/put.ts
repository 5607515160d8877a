import type { NewPage } from '../../client/operations/pages.ts'
import { ApiError } from '../../client/transport/errors.ts'
import { given } from '../../lib/given.ts'
import type { CommandCall } from '../call.ts'
import { EXIT, UsageError } from '../command.ts'
import { clientOf } from '../connection.ts'
import { readInput } from '../input.ts'
import { keyValue, typedValue } from '../metadata/metadata-words.ts'
import { printJson } from '../print.ts'
import { StateError } from '../report-error.ts'
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
  const ifMatch = ifMatchOf(call)
  const note = call.option('note')
  const [template, variables, metadata] = [call.option('template'), pairs(call, 'var'), pairs(call, 'meta')]
  const file = call.optional('file')
  checkCombination({ template, variables, metadata, file, ifMatch })
  const client = clientOf(terminal)
  const body = template === undefined ? await readInput(terminal, file) : undefined
  const written =
    template === undefined && !metadata
      ? client.pages.put(space, path, body ?? '', {
          note,
          ...(ifMatch === undefined ? { createOnly: true } : { ifMatch }),
        })
      : client.pages.create(space, path, newPage({ body, note, template, variables, metadata }))
  const page = await written.catch((error) =>
    explainConflict(error, call.arg('page'), ifMatch, 'read it first and pass'),
  )
  if (call.flag('json')) printJson(call, page)
  else
    terminal.out(
      `${page.created ? 'Created' : 'Updated'} ${page.space}/${page.path}, version ${page.version}: ${page.url}\n`,
    )
}

function checkCombination({
  template,
  variables,
  metadata,
  file,
  ifMatch,
}: Pick<PageParts, 'template' | 'variables' | 'metadata'> & {
  readonly file: string | undefined
  readonly ifMatch: string | number | undefined
}): void {
  if (template !== undefined && file !== undefined)
    throw new UsageError('--template cannot be combined with a file')
  if (template === undefined && variables) throw new UsageError('--var requires --template')
  if (ifMatch !== undefined && (template !== undefined || metadata)) {
    throw new UsageError(
      '--template and --meta are for new pages; --version and --if-match are for existing pages',
    )
  }
}

function newPage({ body, note, template, variables, metadata }: PageParts): NewPage {
  const typed = Object.entries(metadata ?? {}).map(([key, text]) => [key, typedValue(text)])
  return given({
    body: body && utf8(body),
    note,
    template,
    variables,
    metadata: metadata && Object.fromEntries(typed),
  })
}

/** The version that `--version` or `--if-match` requires. */
export function ifMatchOf(call: CommandCall): string | number | undefined {
  const [version, tag] = [call.number('version'), call.option('if-match')]
  if (version !== undefined && tag !== undefined) throw new UsageError('use either --version or --if-match')
  return version ?? tag
}

function pairs(call: CommandCall, name: string): Record<string, string> | undefined {
  const given = call.list(name)
  return given.length === 0 ? undefined : Object.fromEntries(given.map((text) => keyValue(text, `--${name}`)))
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
    `${name} exists: version ${version}, by ${updatedBy.name} at ${updatedAt}. To replace it, ${how} --version ${version}`,
  )
}

function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new StateError(EXIT.failed, 'The text is not UTF-8.')
  }
}
