import { given } from '@recto/lib/given.ts'
import { type Static, Type } from 'typebox'
import type { Ctx } from '../../../access/ctx.ts'
import { listAllKeys, revokeAnyKey } from '../../../identity/keys/api-keys.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { pagingParameters, strictObject, text } from '../../../platform/http/schemas.ts'
import { doneNotice } from '../controls.ts'
import { html, t, trusted } from '../html.ts'
import { keyRows } from '../keys-view.ts'
import { pager } from '../rows.ts'
import { formRoute, type Screen, screenRoute, whenDone } from '../screen.ts'
import { adminUrl } from '../urls.ts'
import { adminScreen } from './frame.ts'

const query = strictObject({
  /** The only principal whose keys are shown. */
  principal: Type.Optional(Type.String()),
  /** What their names, their beginnings or the names of their owners have. */
  name: Type.Optional(text({ maxLength: 200 })),
  revoked: Type.Optional(Type.Literal('1')),
  cursor: pagingParameters.cursor,
  done: Type.Optional(Type.String()),
})

/** All API keys, and revoking any of them. */
export const keysRoutes = registerRoutes(
  screenRoute('/manage/keys', { query, view: ({ ctx, query }) => keysScreen(ctx, query) }),
  formRoute('/manage/keys/:id/revoke', {
    act: ({ ctx, params }) => whenDone(revokeAnyKey(ctx, params.id), adminUrl('keys'), 'revoked'),
  }),
)

/** The keys of the organisation. */
async function keysScreen(ctx: Ctx, { principal, name, cursor, ...shown }: Static<typeof query>): Promise<Screen> {
  const includeRevoked = shown.revoked === '1'
  const done = shown.done === 'revoked' ? t('The key was revoked.') : undefined
  const keys = await listAllKeys(ctx, { includeRevoked, ...given({ principal, name: name?.trim(), cursor }) })
  const filter = { principal, name, revoked: includeRevoked ? '1' : undefined }
  return adminScreen({
    tab: 'API keys',
    heading: t('API keys'),
    main: html`${doneNotice(done)}
<p>${t('Create a key on the screen of its owner: <link>choose a person or an agent</link>.', {
      link: (text) => html`<a href="${adminUrl('people')}">${text}</a>`,
    })}</p>
<form class="toolbar" method="get" action="${adminUrl('keys')}" role="search" aria-label="${t('Filter keys')}">
<input class="input" dir="auto" type="search" name="name" aria-label="${t('Name, beginning or owner')}"
  placeholder="${t('Name, beginning or owner')}" value="${name}" maxlength="200">
${principal !== undefined && html`<input type="hidden" name="principal" value="${principal}">`}
<label class="check"><input type="checkbox" name="revoked" value="1"${
      includeRevoked && trusted(' checked')
    }> ${t('Include revoked keys')}</label>
<button type="submit" class="button">${t('Show')}</button>
${principal !== undefined && html`<a href="${adminUrl('keys')}">${t('All owners')}</a>`}
</form>
${keyRows(keys.items, {
  withOwner: true,
  current: ctx.actor.keyId,
  revoke: (id) => adminUrl('keys', id, 'revoke'),
  empty: html`<p>${t('No matching keys.')}</p>`,
})}
${pager(adminUrl('keys'), filter, { cursor, nextCursor: keys.nextCursor })}`,
  })
}
