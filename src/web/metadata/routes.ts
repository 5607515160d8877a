import { type Static, Type } from 'typebox'
import type { Ctx } from '../../access/ctx.ts'
import { requirePage } from '../../access/page.ts'
import { AppError, type ErrorCode } from '../../errors.ts'
import type { PageAddress } from '../../http/page-address.ts'
import { pagingParameters } from '../../http/paging.ts'
import type { Server } from '../../http/server.ts'
import { text } from '../../http/text.ts'
import { metadataHistory } from '../../metadata/history.ts'
import { metadataKeys } from '../../metadata/keys.ts'
import { patchMetadata, readMetadata } from '../../metadata/metadata.ts'
import { type PatchBody, parsePatch } from '../../metadata/parse-patch.ts'
import { metadataUrl } from '../addresses.ts'
import { seeOther } from '../fields.ts'
import { meantBy } from '../filters/state.ts'
import { csrfField } from '../forms.ts'
import { orError } from '../or-error.ts'
import { screenAddress, screenPage, screenParams } from '../page-screen.ts'
import { sendDocument } from '../screen.ts'
import { removalDocument } from './removal-view.ts'
import { issuesError, MAX_EDITED, type MetadataForm, rowsOf, rowsSent, wantedBy } from './rows.ts'
import { metadataDocument } from './view.ts'

const query = Type.Object(
  { cursor: pagingParameters.cursor, key: Type.Optional(text()), remove: Type.Optional(text()) },
  { additionalProperties: false },
)
const field = Type.Optional(text())
const fields = Type.Optional(Type.Array(text(), { maxItems: 200 }))
const form = Type.Object(
  {
    act: Type.Union([Type.Literal('save'), Type.Literal('append'), Type.Literal('remove')]),
    keys: fields,
    kinds: fields,
    values: fields,
    marks: fields,
    newKey: field,
    newKind: field,
    newValue: field,
    key: field,
    value: field,
    unique: field,
  },
  { additionalProperties: false },
)
type Form = Static<typeof form>

/** All values of a page, each byte as three in the form, and as much again for what stands around them. */
const MAX_FORM = 200 * MAX_EDITED * 4
const REFUSALS: readonly ErrorCode[] = ['invalid_request', 'not_an_array', 'payload_too_large']

/** The metadata of a page: seen, changed, and what happened to it. */
export async function metadataScreenRoutes(app: Server): Promise<void> {
  app.get(
    '/metadata/:space/*',
    { schema: { hide: true, params: screenParams, querystring: query } },
    async (request, reply) => {
      const address = screenAddress(request.params)
      const { remove, key, cursor } = request.query
      const csrf = csrfField(request)
      if (remove !== undefined) {
        const [page, { entries }] = await Promise.all([
          screenPage(request.ctx, address),
          readMetadata(request.ctx, address),
        ])
        const entry = entries.find((found) => found.key === remove)
        if (!entry) throw new AppError('not_found', `The page has no metadata \`${remove}\`.`)
        return sendDocument(reply, removalDocument({ page, entry, csrf }))
      }
      const read = await readScreen(request.ctx, address, { key, cursor })
      return sendDocument(reply, metadataDocument({ ...read, rows: rowsOf(read.entries), csrf }))
    },
  )

  app.post(
    '/metadata/:space/*',
    { bodyLimit: MAX_FORM, schema: { hide: true, params: screenParams, body: form } },
    async (request, reply) => {
      const { ctx, body } = request
      const address = screenAddress(request.params)
      await requirePage(ctx, address, 'editor')
      const refusal = await orError(REFUSALS, () => change(ctx, address, body))
      if (!refusal) return seeOther(reply, metadataUrl(address.space, address.path))
      const read = await readScreen(ctx, address, {})
      const rows = body.act === 'save' ? rowsSent(given(body), read.entries) : rowsOf(read.entries)
      const document = metadataDocument({ ...read, rows, csrf: csrfField(request), refusal, sent: body })
      return sendDocument(reply, document, 400)
    },
  )
}

async function readScreen(
  ctx: Ctx,
  address: PageAddress,
  { key, cursor }: { readonly key?: string | undefined; readonly cursor?: string | undefined },
) {
  const paging = { limit: 20, ...(key !== undefined && { key }), ...(cursor !== undefined && { cursor }) }
  // First and alone: which of several refusals came first would tell spaces that are hidden from those that are not.
  const page = await screenPage(ctx, address)
  const [{ entries }, history, keys] = await Promise.all([
    readMetadata(ctx, address),
    metadataHistory(ctx, { ...address, ...paging }),
    metadataKeys(ctx, { space: address.space, limit: 200 }),
  ])
  return { page, entries, history, key, first: cursor === undefined, keys: keys.items.map((use) => use.key) }
}

/** Does what the form asks for, all of it or nothing. */
async function change(ctx: Ctx, address: PageAddress, body: Form): Promise<undefined> {
  const patch = await patchOf(ctx, address, body)
  if (patch) await patchMetadata(ctx, { ...address, operations: parsePatch(patch) })
}

async function patchOf(ctx: Ctx, address: PageAddress, body: Form): Promise<PatchBody | undefined> {
  const { act, key = '', value = '' } = body
  if (act === 'remove') return { set: Object.fromEntries([[key, null]]) }
  if (act === 'append') {
    const members = Object.fromEntries([[key, [meantBy(value)]]])
    return body.unique === undefined ? { append: members } : { appendUnique: members }
  }
  const { entries } = await readMetadata(ctx, address)
  const wanted = wantedBy(given(body), entries)
  if (wanted.issues.length > 0) throw issuesError(wanted.issues)
  return Object.keys(wanted.set).length === 0 ? undefined : { set: wanted.set }
}

/** The form without the fields that were left out. */
function given(body: Form): MetadataForm {
  return JSON.parse(JSON.stringify(body))
}
