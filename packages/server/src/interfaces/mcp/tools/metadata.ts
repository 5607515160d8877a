import { actorText } from '@recto/contract/actor-text.ts'
import { type AppError, inputError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import { given } from '@recto/lib/given.ts'
import { jsonLine } from '@recto/lib/text/single-line.ts'
import { Type } from 'typebox'
import { type AuditEvent, metadataHistory } from '../../../content/metadata/history.ts'
import { type PageMetadata, patchMetadata, readMetadata } from '../../../content/metadata/metadata.ts'
import { parsePatch } from '../../../content/metadata/parse-patch.ts'
import { patchSchema } from '../../../content/metadata/schema.ts'
import type { PagesCtx } from '../../../content/pages/ctx.ts'
import { strictObject, text } from '../../../platform/http/schemas.ts'
import { resolveAddress } from '../address.ts'
import { invalidArgument, listArguments, listResult, pageArguments } from '../arguments.ts'
import { countFitting, fittingPage, MAX_CONTENT, textSize, truncate } from '../bounds.ts'
import { defineTool } from '../tool.ts'
import type { ToolResult } from '../tool-result.ts'

/** Characters. A larger value is returned only by its key. */
const MAX_VALUE = MAX_CONTENT / 3
/** The same in the history, whose entries have two values. */
const MAX_EVENT_VALUE = MAX_CONTENT / 12

export const getMetadata = defineTool({
  name: 'context_get_metadata',
  title: 'Read the metadata of a page',
  description: 'Reads the metadata of a page, or its `history`.',
  scope: 'read',
  changeRequest: 'read',
  visitors: ['space', 'path', 'key', 'fromKey', 'fromCharacter'],
  input: strictObject({
    ...pageArguments,
    key: Type.Optional(text({ minLength: 1, maxLength: 256, description: 'Only this key.' })),
    history: Type.Optional(Type.Boolean()),
    ...listArguments,
    fromKey: Type.Optional(text({ maxLength: 256 })),
    fromCharacter: Type.Optional(Type.Integer({ minimum: 0 })),
  }),
  async run(ctx, { key, history = false, fromKey, fromCharacter, limit, cursor, ...page }) {
    rejectConflicting({ history, fromKey, fromCharacter, cursor })
    const address = await resolveAddress(ctx, page, 'read')
    if (history) return historyResult(ctx, { ...address, ...given({ key }) }, { limit, cursor })
    const metadata = await readMetadata(ctx, address)
    const isVisitor = ctx.actor.visitor !== undefined
    return key === undefined
      ? entriesResult(metadata, fromKey, isVisitor)
      : valueResult(metadata, key, fromCharacter ?? 0)
  },
})

export const patchMetadataTool = defineTool({
  name: 'context_patch_metadata',
  title: 'Change the metadata of a page',
  description:
    'Changes the metadata of a page atomically, without a new version of its text. ' +
    '`set` sets values (null deletes a key), `append` adds an element or the elements of an array to an array, ' +
    '`appendUnique` skips existing elements. Each key may occur in only one of the three. Requires no version: ' +
    'concurrent appends are all applied.',
  scope: 'write',
  input: strictObject({ ...pageArguments, ...patchSchema.properties }),
  async run(ctx, { space, path, ...patch }) {
    const operations = parsePatch(patch)
    const metadata = await patchMetadata(ctx, { ...(await resolveAddress(ctx, { space, path }, 'write')), operations })
    return entriesResult(metadata, undefined, false)
  },
})

interface Conflicting {
  readonly history: boolean
  readonly fromKey: string | undefined
  readonly fromCharacter: number | undefined
  readonly cursor: string | undefined
}

function rejectConflicting({ history, fromKey, fromCharacter, cursor }: Conflicting): void {
  if (!history && cursor !== undefined) throw invalidArgument('cursor', 'requires `history`')
  if (history && fromKey !== undefined)
    throw invalidArgument('fromKey', 'cannot be combined with `history`: continue with `cursor`')
  if (history && fromCharacter !== undefined)
    throw invalidArgument('fromCharacter', 'cannot be combined with `history`')
}

/** The changes of the metadata, or of one key. */
async function historyResult(
  ctx: PagesCtx,
  page: PageAddress & { readonly key?: string },
  paging: { readonly limit: number | undefined; readonly cursor: string | undefined },
): Promise<ToolResult<object>> {
  const events = await fittingPage(paging, async (part) => {
    const list = await metadataHistory(ctx, { ...page, ...part })
    return { ...list, items: list.items.map(withoutLarge) }
  })
  return listResult(events, eventText, 'Its metadata was never changed, or it never had this key.')
}

/** A change, with the length of a value in its place where it is too large for a list. */
interface ListedEvent extends Omit<AuditEvent, 'value' | 'previousValue'> {
  readonly value?: unknown
  readonly valueCharacters?: number
  readonly previousValue?: unknown
  readonly previousValueCharacters?: number
}

function withoutLarge({ value, previousValue, ...event }: AuditEvent): ListedEvent {
  const [size, previousSize] = [textSize(value), textSize(previousValue)]
  return {
    ...event,
    ...(size <= MAX_EVENT_VALUE ? { value } : { valueCharacters: size }),
    ...(previousSize <= MAX_EVENT_VALUE ? { previousValue } : { previousValueCharacters: previousSize }),
  }
}

function eventText(event: ListedEvent): string {
  const { key, op, existed, actor, createdAt, valueCharacters, previousValueCharacters } = event
  const part = (value: unknown, characters: number | undefined) =>
    characters === undefined ? jsonLine(value) : `${characters} characters`
  const now = op === 'delete' ? 'deleted' : `${op}: ${part(event.value, valueCharacters)}`
  const before = existed ? part(event.previousValue, previousValueCharacters) : 'none'
  return `${createdAt} ${jsonLine(key)} by ${actorText(actor)}, ${now}; before: ${before}`
}

/** As many entries as fit, by key. Large values are only listed. */
function entriesResult(
  { space, path, entries }: PageMetadata,
  fromKey: string | undefined,
  isVisitor: boolean,
): ToolResult<object> {
  const start = fromKey === undefined ? 0 : entries.findIndex(({ key }) => key === fromKey)
  const wantedEntries = start === -1 ? entries.filter(({ key }) => key > (fromKey ?? '')) : entries.slice(start)
  const sizedEntries = wantedEntries.map((entry) => ({ entry, characters: textSize(entry.value) }))
  const items = sizedEntries.map(({ entry, characters }) =>
    characters > MAX_VALUE ? { ...entry, value: characters } : entry,
  )
  const count = countFitting(items)
  const shownEntries = sizedEntries.slice(0, count)
  const plain = shownEntries.filter(({ characters }) => characters <= MAX_VALUE).map(({ entry }) => entry)
  const metadata = Object.fromEntries(plain.map(({ key, value }) => [key, value]))
  // Keys whose values are too large to be included.
  const large = shownEntries
    .filter(({ characters }) => characters > MAX_VALUE)
    .map(({ entry: { key }, characters }) => ({ key, characters }))
  const nextKey = wantedEntries[count]?.key ?? null
  return {
    data: {
      space,
      path,
      metadata,
      entries: shownEntries.map(({ entry: { key, updatedAt, updatedBy } }) => ({ key, updatedAt, updatedBy })),
      large,
      nextKey,
    },
    text: [
      [
        `Metadata of ${space}/${path}:${shownEntries.length === 0 ? ' none.' : ''}`,
        ...plain.map(
          ({ key, value, updatedAt, updatedBy }) =>
            `${jsonLine(key)}: ${jsonLine(value)} (${updatedAt}${isVisitor ? '' : `, ${actorText(updatedBy)}`})`,
        ),
        ...large.map(({ key, characters }) => `${jsonLine(key)}: ${characters} characters, read it with \`key\`.`),
        ...(nextKey === null ? [] : [`More keys: call again with fromKey ${jsonLine(nextKey)}.`]),
      ],
    ],
  }
}

const MAX_NAMED = 5

function keyNotFound(wantedKey: string, entries: PageMetadata['entries']): AppError {
  const keys = entries.slice(0, MAX_NAMED).map(({ key }) => JSON.stringify(truncate(key, 30)))
  const knownKeys = keys.length === 0 ? 'it has none' : `its keys are ${keys.join(', ')}`
  const detail =
    `The page has no metadata key ${JSON.stringify(truncate(wantedKey, 50))}: ` +
    `${knownKeys}${entries.length > MAX_NAMED ? ' and more' : ''}.`
  return inputError('not_found', detail, '/key', 'is not a key of the page')
}

function valueResult({ space, path, entries }: PageMetadata, wantedKey: string, from: number): ToolResult<object> {
  const entry = entries.find(({ key }) => key === wantedKey)
  if (!entry) throw keyNotFound(wantedKey, entries)
  const { key, value, updatedAt, updatedBy } = entry
  const json = jsonLine(value)
  const summary = { space, path, entries: [{ key, updatedAt, updatedBy }], large: [], nextKey: null }
  if (from === 0 && json.length <= MAX_CONTENT) {
    return { data: { ...summary, metadata: Object.fromEntries([[key, value]]) }, text: [json] }
  }
  const end = from + MAX_CONTENT
  const nextCharacter = end < json.length ? end : null
  const part = { key, json: json.slice(from, end), fromCharacter: from, nextCharacter }
  const rest =
    nextCharacter === null ? 'End of value.' : `More characters: call again with fromCharacter ${nextCharacter}.`
  return { data: { ...summary, metadata: {}, part }, text: [part.json, rest] }
}
