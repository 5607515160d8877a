import { pageUrl } from '@recto/contract/page-url.ts'
import type { Share } from '../../../content/pages/shares/schema.ts'
import type { List } from '../../../platform/http/paging.ts'
import { checkBoxes, confirmed, doneNotice, errorNotice, textField } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html } from '../html.ts'
import { pageFrame, type ScreenPage } from '../page-screen.ts'
import { badge, moment, pager, type Row, rows } from '../rows.ts'
import type { Screen, Shown } from '../screen.ts'
import { shareUrl } from '../urls.ts'

export interface ShareView extends Shown {
  readonly page: ScreenPage
  readonly shares: List<Share>
  /** The URL of a new link, which is shown once. */
  readonly url?: string | undefined
}

const STATES: Readonly<Record<Share['state'], string>> = {
  active: 'active',
  revoked: 'revoked',
  expired: 'expired',
  trashed: 'the page is in the trash',
  off: 'share links are off',
  'no-access': 'its maker cannot read the page any more',
}

/** The share links of a page, and the form that makes one. */
export function shareScreen({ page, shares, url, done, failed, cursor }: ShareView): Screen {
  const here = shareUrl(page.space, page.path)
  return pageFrame(page, undefined, {
    title: `Share ${page.title} · ${page.spaceName}`,
    islands: ['copy'],
    main: html`<div class="screen narrow">
<h1>Share this page</h1>
<p>A link shows <a href="${pageUrl(page.space, page.path)}">${page.title}</a> to whoever has it, without an account, and nothing else of the workspace.</p>
${doneNotice(done)}
${errorNotice(failed)}
${url !== undefined && newLink(url)}
<form class="form" method="post" action="${here}">
${CSRF_FIELD}
${checkBoxes({ name: 'withChildren', label: 'Pages', values: [], choices: [{ value: 'yes', text: 'The pages below it, too', help: 'But for those that a folder rule below narrows.' }], failed })}
${textField({ name: 'expiresAt', label: 'Ends on', pattern: '[0-9]{4}-[0-9]{2}-[0-9]{2}', failed, help: 'A date such as 2030-01-31, at the start of the day (UTC).' })}
${textField({ name: 'password', label: 'Password', failed, help: 'At least 12 characters. Tell it readers on another way than the link.' })}
<button type="submit" class="button primary">Make a link</button>
</form>
<h2>Links of this page</h2>
${rows(
  'Share links',
  shares.items.map((share) => shareRow(share, page)),
  html`<p>There are none.</p>`,
)}
${pager(here, {}, { cursor, nextCursor: shares.nextCursor })}
</div>`,
  })
}

function newLink(url: string): Html {
  return html`<div class="notice success" role="status"><p>The link, which is shown only now:</p>
<p class="copy" data-copy><code id="secret" tabindex="0">${url}</code> <button type="button" class="button" data-copy-button hidden>Copy</button></p></div>`
}

function shareRow(share: Share, { space, path }: ScreenPage): Row {
  const { id, createdBy, createdAt, expiresAt, opens, lastOpenedAt, state } = share
  return {
    title: html`By ${createdBy.name}, ${moment(createdAt)}`,
    badges: [
      badge(STATES[state], state === 'active' ? 'success' : 'error'),
      share.withChildren && badge('with pages below'),
      share.hasPassword && badge('password'),
    ],
    about: html`Opened ${opens} times${lastOpenedAt !== null && html`, last ${moment(lastOpenedAt)}`}${expiresAt !== null && html` · ends ${moment(expiresAt, 'absolute')}`}`,
    ...(state !== 'revoked' && {
      actions: confirmed({
        action: shareUrl(space, path),
        text: 'Revoke',
        about: `the link of ${createdBy.name}`,
        warning: 'Readers get nothing from now on. A revoked link cannot be restored.',
        sure: 'Revoke permanently',
        fields: { revoke: id },
      }),
    }),
  }
}
