import type { PageAddress } from '@recto/contract/page-address.ts'
import { pageUrl } from '@recto/contract/page-url.ts'
import type { PagesBelow } from '../../../content/pages/shares/open-share.ts'
import type { Share } from '../../../content/pages/shares/schema.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import type { List } from '../../../platform/http/paging.ts'
import { checkBoxes, confirmed, doneNotice, errorNotice, textField } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html, msg, t } from '../html.ts'
import { pageFrame, type ScreenPage } from '../page-screen.ts'
import { badge, moment, pager, type Row, rows } from '../rows.ts'
import type { Screen, Shown } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import { settingsUrl, sharePreviewUrl, shareUrl } from '../urls.ts'

export interface ShareView extends Shown, PagesBelow {
  readonly page: ScreenPage
  readonly shares: List<Share>
  /** The URL of a new link, which is shown once. */
  readonly url?: string | undefined
}

const MAX_NAMES = 10

const STATES: Readonly<Record<Share['state'], string>> = {
  active: msg('active'),
  revoked: msg('revoked'),
  expired: msg('expired'),
  trashed: msg('the page is in the trash'),
  off: msg('share links are off'),
  'no-access': msg('its maker cannot read the page any more'),
}

/** The share links of a page, and the form that makes one. */
export function shareScreen(view: ShareView): Screen {
  const { page, shares, url, done, failed, cursor } = view
  const { space, path, title } = page
  const here = shareUrl(space, path)
  const link = html`<a href="${pageUrl(space, path)}">${title}</a>`
  return pageFrame(page, undefined, {
    title: `${t('Share {title}', { title })} · ${page.spaceName}`,
    islands: ['copy'],
    heading: t('Share this page'),
    main: html`<p>${t('A link shows {page} to whoever has it, without an account, and nothing else of the workspace.', {
      page: link,
    })}</p>
${doneNotice(done)}
${errorNotice(failed)}
${url !== undefined && newLink(url)}
<p>${t('See it as its readers do:')} <a href="${sharePreviewUrl(space, path)}">${t('this page')}</a>${
      view.below.length > 0 &&
      html` · <a href="${sharePreviewUrl(space, path, { children: 'yes' })}">${t('with the pages below')}</a>`
    }</p>
<form class="form" method="post" action="${here}">
${CSRF_FIELD}
${checkBoxes('withChildren', t('Pages'), {
  values: [],
  choices: [{ value: 'yes', text: t('The pages below it, too'), help: countPages(view) }],
  failed,
})}
${textField('expiresAt', t('Ends on'), {
  pattern: '[0-9]{4}-[0-9]{2}-[0-9]{2}',
  failed,
  help: t('A date such as 2030-01-31, at the start of the day (UTC).'),
})}
${textField('password', t('Password'), {
  failed,
  help: t('At least 12 characters. Tell it readers on another way than the link.'),
})}
<button type="submit" class="button primary">${t('Make a link')}</button>
</form>
<h2>${t('Links of this page')}</h2>
${listLinks(here, { shares, cursor }, (share) => shareRow(share, here))}
<p><a href="${settingsUrl(space, 'shares')}">${t('Share links of the whole space')}</a></p>`,
  })
}

/** The share links of a space: all of them for its admins, their own for other editors. */
export function spaceSharesScreen(view: Shown & { readonly space: Space; readonly shares: List<Share> }): Screen {
  const { space, done, failed } = view
  const here = settingsUrl(space.slug, 'shares')
  return spaceFrame(space, 'Settings', {
    crumbs: [{ text: t('Share links'), href: here }],
    heading: t('Share links'),
    main: html`${doneNotice(done)}
${errorNotice(failed)}
<p>${
      space.role === 'admin'
        ? t('All links that show pages of this space to people without an account.')
        : t('Your links that show pages of this space to people without an account.')
    } ${t('A new one is made in the menu of a page, by “Share”.')}</p>
${
  !space.shares &&
  html`<p class="notice" role="note">${t('Share links are off in this space: these show nothing.')}</p>`
}
${listLinks(here, view, (share) => shareRow(share, settingsUrl(space.slug, 'shares', 'revoke'), pageTitle(share)))}`,
  })
}

function listLinks(
  here: string,
  { shares, cursor }: Pick<ShareView, 'shares' | 'cursor'>,
  toRow: (share: Share) => Row,
): Html {
  return html`${rows(t('Share links'), shares.items.map(toRow), html`<p>${t('There are none.')}</p>`)}
${pager(here, {}, { cursor, nextCursor: shares.nextCursor })}`
}

function pageTitle({ space, path, title, state }: Share): Html {
  return state === 'trashed' ? html`<bdi>${title}</bdi>` : html`<a href="${pageUrl(space, path)}">${title}</a>`
}

/** What is said above the page in a preview. */
export function previewNotice(
  { space, path }: PageAddress,
  pages: PagesBelow & { readonly withChildren: boolean },
): Html {
  const other = pages.withChildren
    ? html`<a href="${sharePreviewUrl(space, path)}">${t('without the pages below')}</a> · `
    : pages.below.length > 0 &&
      html`<a href="${sharePreviewUrl(space, path, { children: 'yes' })}">${t('with the pages below')}</a> · `
  return html`<aside class="notice" aria-label="${t('Preview')}"><p>
${t(
  'Preview: readers of a link see what follows. This box is only for you.',
)}${pages.withChildren && ` ${t('Pages below:')} ${countPages(pages)}`}</p>
<p>${other}<a href="${shareUrl(space, path)}">${t('Back to sharing')}</a></p></aside>
`
}

/** How many pages below a link shows, and which it leaves out, as far as its maker reads them. */
function countPages({ below, narrowed }: PagesBelow): string {
  const count = t('{count, plural, =0 {There are none now.} one {# page now.} other {# pages now.}}', {
    count: below.length,
  })
  if (narrowed.length === 0) return `${count} ${t('Those that a folder rule below narrows are left out.')}`
  const more = narrowed.length - MAX_NAMES
  const some = narrowed.slice(0, MAX_NAMES).map(({ title }) => title)
  const names = more > 0 ? t('{names} and {more, number} more', { names: some.join(', '), more }) : some.join(', ')
  return `${count} ${t(
    '{count, plural, one {# page is} other {# pages are}} left out, ' +
      'since a folder rule narrows who reads there: {names}.',
    { count: narrowed.length, names },
  )}`
}

function newLink(url: string): Html {
  return html`<div class="notice success" role="status"><p>${t('The link, which is shown only now:')}</p>
<p class="copy" data-copy><code id="secret" tabindex="0">${url}</code> <button type="button" class="button"
  data-copy-button hidden>${t('Copy')}</button></p></div>`
}

/** A link on a list, which a form with this action revokes; `title` is that of its page. */
function shareRow(share: Share, action: string, title?: Html): Row {
  const { id, createdAt, expiresAt, opens, lastOpenedAt, state } = share
  const { name } = share.createdBy
  const origin = t('By {name}, {when}', { name, when: moment(createdAt) })
  return {
    title: title ?? origin,
    badges: [
      badge(t(STATES[state]), state === 'active' ? 'success' : 'error'),
      share.withChildren && badge(t('with pages below')),
      share.hasPassword && badge(t('password')),
    ],
    about: html`${title && html`${origin} · `}${t(
      '{opens, plural, =0 {Never opened} one {Opened once} other {Opened # times}}',
      { opens },
    )}${lastOpenedAt !== null && html`, ${t('last {when}', { when: moment(lastOpenedAt) })}`}${
      expiresAt !== null && html` · ${t('ends {when}', { when: moment(expiresAt, 'absolute') })}`
    }`,
    ...(state !== 'revoked' && {
      actions: confirmed({
        action,
        text: t('Revoke'),
        about: title
          ? t('the link of {name} to {title}', { name, title: share.title })
          : t('the link of {name}', { name }),
        warning: t('Readers get nothing from now on. A revoked link cannot be restored.'),
        sure: t('Revoke permanently'),
        fields: { revoke: id },
      }),
    }),
  }
}
