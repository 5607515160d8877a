import { Type } from 'typebox'
import { reaches } from '../../../access/caller.ts'
import { parseOverlay, toTag } from '../../../access/overlay.ts'
import { listChangeRequests } from '../../../content/change-requests/requests.ts'
import type { PagesCtx } from '../../../content/pages/ctx.ts'
import type { PageRevision } from '../../../content/pages/read.ts'
import { selectField, textField } from '../controls.ts'
import { html, t } from '../html.ts'
import { SUGGESTION } from '../urls.ts'
import type { Proposal } from './edit-view.ts'

const NEW = 'new'
const MAX_OWN = 50

/** The fields that choose the change request of a suggestion. */
export const proposalFields = {
  into: Type.Optional(Type.String({ pattern: '^(?:new|[1-9][0-9]{0,8})$' })),
  title: Type.Optional(Type.String({ maxLength: 200, pattern: '^[^\\x00-\\x1f\\x7f]*$' })),
}

interface Choice {
  readonly into?: string | undefined
  readonly title?: string | undefined
}

/** The context of a form that proposes, with the change request that the form chose. */
export function withChoice({ ctx, body }: { readonly ctx: PagesCtx; readonly body: Choice }): PagesCtx {
  const { overlay } = ctx
  if (!overlay || overlay.number !== undefined) return ctx
  const { into = NEW, title = overlay.title } = body
  return { ...ctx, overlay: parseOverlay(overlay.space, { changeRequest: into, title }) }
}

/** What the editor shows of the change request that it proposes to; `sent` is the form, if it is shown again. */
export async function readProposal(
  ctx: PagesCtx,
  { space, row, version }: PageRevision,
  sent: unknown,
): Promise<Proposal> {
  const { number, title } = ctx.overlay ?? {}
  const { draft } = row
  const proposal = {
    number,
    draft: draft && draft.revision_id !== null ? String(toTag({ draft, version })) : undefined,
    editable: reaches(row.rank, 'editor'),
  }
  if (number !== undefined) return proposal
  const ownTitle = title === SUGGESTION ? t('A suggestion') : title
  const { into = NEW, title: sentTitle = ownTitle } = (sent ?? {}) as Choice // validated, or absent
  const own = await listChangeRequests(ctx, { space: space.slug, author: 'me', state: 'open', limit: MAX_OWN })
  const choices = own.items.map((request) => ({
    value: String(request.number),
    text: `#${request.number} ${request.title}`,
  }))
  return {
    ...proposal,
    fields: html`<div class="form side">
${
  choices.length > 0 &&
  selectField('into', t('Change request'), { value: into, choices: [{ value: NEW, text: t('A new one') }, ...choices] })
}
${textField('title', t('Title of a new one'), {
  value: sentTitle ?? '',
  maxLength: 200,
  required: choices.length === 0,
  help: t('Everybody with an account who reads the space sees it.'),
})}
</div>`,
  }
}
