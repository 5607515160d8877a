import { AppError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Ctx } from '../../../access/ctx.ts'
import { requirePage } from '../../../access/page.ts'
import { metadataHistory } from '../../../content/metadata/history.ts'
import { metadataKeys } from '../../../content/metadata/keys.ts'
import { patchMetadata, readMetadata } from '../../../content/metadata/metadata.ts'
import { type PatchBody, parsePatch } from '../../../content/metadata/parse-patch.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { enumSchema, pagingParameters, strictObject, text } from '../../../platform/http/schemas.ts'
import { parseTyped } from '../filters/state.ts'
import { CSRF_FIELD } from '../forms.ts'
import { html, msg, t } from '../html.ts'
import { type PageParams, pageFrame, screenAddress, screenPage } from '../page-screen.ts'
import { formRoute, type Screen, screenRoute } from '../screen.ts'
import { metadataUrl } from '../urls.ts'
import { valueView } from '../views/cells.ts'
import { issuesError, MAX_EDITED, type MetadataForm, rowsSent, toRows, wantedBy } from './rows.ts'
import { metadataScreen } from './view.ts'

const query = strictObject({
  cursor: pagingParameters.cursor,
  key: Type.Optional(text()),
  remove: Type.Optional(text()),
})
const field = Type.Optional(text())
const fields = Type.Optional(Type.Array(text(), { maxItems: 200 }))
const form = strictObject({
  act: enumSchema(['save', 'append', 'remove']),
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
})
type Form = Static<typeof form>
type PageRequest = FastifyRequest<{ Params: PageParams }>

/** The values of a page, each byte as three in the form, and the same again for the other fields. */
const MAX_FORM = 200 * MAX_EDITED * 4

/** The metadata of a page: reading, changing, and its history. */
export const metadataScreenRoutes = registerRoutes(
  screenRoute('/metadata/:space/*', {
    query,
    view: async (request) => {
      const { remove, ...shown } = request.query
      if (remove !== undefined) return removal(request, remove)
      const read = await readScreen(request, shown)
      return metadataScreen({ ...read, rows: toRows(read.entries) })
    },
  }),
  formRoute('/metadata/:space/*', {
    body: form,
    bodyLimit: () => MAX_FORM,
    suggests: msg('Change properties'),
    act: async ({ ctx, params, body }) => {
      const address = screenAddress(params)
      await requirePage(ctx, address, 'organizer')
      const patch = await buildPatch(ctx, address, body)
      if (patch) await patchMetadata(ctx, { ...address, operations: parsePatch(patch) })
      return metadataUrl(address.space, address.path)
    },
    view: async (request, { error }) => {
      const { body } = request
      const read = await readScreen(request, {})
      const rows = body.act === 'save' ? rowsSent(given(body), read.entries) : toRows(read.entries)
      return metadataScreen({ ...read, rows, error, sent: body })
    },
  }),
)

/** Asks for confirmation before a key is removed. */
async function removal(request: PageRequest, key: string): Promise<Screen> {
  const address = screenAddress(request.params)
  const [page, { entries }] = await Promise.all([screenPage(request.ctx, address), readMetadata(request.ctx, address)])
  const entry = entries.find((removedEntry) => removedEntry.key === key)
  if (!entry) throw new AppError('not_found', `The page has no property \`${key}\`.`)
  const url = metadataUrl(page.space, page.path)
  return pageFrame(page, 'Properties', {
    title: `${t('Remove {key}', { key })} · ${page.title}`,
    sheets: ['data.css'],
    heading: t('Remove {key}?', { key }),
    main: html`<p>${t('Its value is {value}. Its old value stays in the history.', {
      value: valueView(entry.value),
    })}</p>
<form class="form" method="post" action="${url}">${CSRF_FIELD}
<input type="hidden" name="act" value="remove"><input type="hidden" name="key" value="${key}">
<div class="buttons">
<button class="button danger">${t('Remove {key}', { key })}</button><a class="button"
  href="${url}">${t('Cancel')}</a></div>
</form>`,
  })
}

async function readScreen(
  request: PageRequest,
  { key, cursor }: { readonly key?: string | undefined; readonly cursor?: string | undefined },
) {
  const { ctx } = request
  const address = screenAddress(request.params)
  const paging = { limit: 20, ...(key !== undefined && { key }), ...(cursor !== undefined && { cursor }) }
  // Before the other reads: their errors could reveal whether a hidden space exists.
  const page = await screenPage(ctx, address)
  const [{ entries }, history, keys] = await Promise.all([
    readMetadata(ctx, address),
    metadataHistory(ctx, { ...address, ...paging }),
    metadataKeys(ctx, { space: address.space, limit: 200 }),
  ])
  return { page, entries, history, key, first: cursor === undefined, keys: keys.items.map((use) => use.key) }
}

/** The change that the form describes; undefined if nothing was changed. */
async function buildPatch(ctx: Ctx, address: PageAddress, body: Form): Promise<PatchBody | undefined> {
  const { act, key = '', value = '' } = body
  if (act === 'remove') return { set: Object.fromEntries([[key, null]]) }
  if (act === 'append') {
    const members = Object.fromEntries([[key, [parseTyped(value)]]])
    return body.unique === undefined ? { append: members } : { appendUnique: members }
  }
  const { entries } = await readMetadata(ctx, address)
  const wantedPatch = wantedBy(given(body), entries)
  if (wantedPatch.issues.length > 0) throw issuesError(wantedPatch.issues)
  return Object.keys(wantedPatch.set).length === 0 ? undefined : { set: wantedPatch.set }
}

/** The form without the omitted fields. */
function given(body: Form): MetadataForm {
  return JSON.parse(JSON.stringify(body))
}
